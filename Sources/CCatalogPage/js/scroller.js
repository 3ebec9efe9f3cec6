// Scrolls through more rows than a browser can make an element high. It ends at some thirty million pixels, ten
// million rows are three hundred.
//
// The box scrolls over a track of bounded height. Near its ends a pixel of the track is a pixel of the rows; between
// them it stands for more. What a wheel, a finger or a key moves is small, and moves the rows by just as much; what
// the thumb moves is large, and goes by the place on the track. Where the two drift apart, the track is put right as
// soon as nothing moves.

const longest = 6_000_000, exact = 400_000;

export class Scroller {
  #box;
  #track;
  #moved;
  #extent = 0;
  #top = 0;
  #last = 0;
  #timer = 0;
  /// What covers the top of the box.
  head = 0;

  /// - moved: called whenever other rows are to be shown.
  constructor(box, track, moved) {
    this.#box = box;
    this.#track = track;
    this.#moved = moved;
    box.addEventListener("scroll", () => this.#scrolled(), { passive: true });
  }

  get viewport() { return Math.max(0, this.#box.clientHeight - this.head); }
  get maximum() { return Math.max(0, this.#extent - this.viewport); }
  get #length() { return Math.min(this.#extent, longest); }
  get #trackMaximum() { return Math.max(0, this.#length - this.viewport); }
  get #isScaled() { return this.#extent > longest; }

  /// How high all rows are together.
  setExtent(extent) {
    this.#extent = extent;
    this.#track.style.height = `${this.#length + this.head}px`;
    this.top = this.#top;
  }

  /// The pixel of the rows that is at the top.
  get top() { return this.#top; }
  set top(value) {
    this.#top = Math.max(0, Math.min(value, this.maximum));
    this.#align();
  }

  #align() {
    clearTimeout(this.#timer);
    const place = this.#placeOf(this.#top);
    if (Math.abs(this.#box.scrollTop - place) > 0.5) this.#box.scrollTop = place;
    this.#last = this.#box.scrollTop;
  }

  #placeOf(top) {
    if (!this.#isScaled || top <= exact) return top;
    if (top >= this.maximum - exact) return this.#trackMaximum - (this.maximum - top);
    return exact + (top - exact) * this.#scale;
  }

  #topOf(place) {
    if (!this.#isScaled || place <= exact) return place;
    if (place >= this.#trackMaximum - exact) return this.maximum - (this.#trackMaximum - place);
    return exact + (place - exact) / this.#scale;
  }

  get #scale() { return (this.#trackMaximum - 2 * exact) / (this.maximum - 2 * exact); }

  #scrolled() {
    const place = this.#box.scrollTop, step = place - this.#last;
    this.#last = place;
    if (step === 0) return this.#moved();
    if (!this.#isScaled) {
      this.#top = place;
    } else if (place <= 0) {
      this.#top = 0;
    } else if (place >= this.#trackMaximum - 0.5) {
      this.#top = this.maximum;
    } else if (Math.abs(step) < this.#length / Math.max(1, this.#box.clientHeight) / 2) {
      // Less than the thumb can be moved by.
      this.#top = Math.max(0, Math.min(this.#top + step, this.maximum));
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#align(), 200);
    } else {
      this.#top = this.#topOf(place);
    }
    this.#moved();
  }
}
