// Places: absolute paths, whose bytes need not be UTF-8. A place is a string: the path, or `b64:` and the bytes.

const mark = "b64:";
const isOdd = (place) => place.startsWith(mark);
const bytesOf = (place) => Uint8Array.from(atob(place.slice(mark.length)), (each) => each.charCodeAt(0));

function placeOfBytes(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return mark + btoa(String.fromCharCode(...bytes));
  }
}

/// The place of a row that has a path.
export const placeOf = (row) => (row.path_base64 ? mark + row.path_base64 : row.path);

/// The path as text, with U+FFFD for what is no UTF-8.
export const pathOf = (place) => (isOdd(place) ? new TextDecoder().decode(bytesOf(place)) : place);

/// How a place is named in a request, as a pair of a parameter and its value.
export const parameter = (name, place) =>
  (isOdd(place) ? [`${name}_base64`, place.slice(mark.length)] : [name, place]);

/// The directory that holds it; null for `/`.
export function parentOf(place) {
  if (!isOdd(place)) {
    const cut = place.lastIndexOf("/");
    return place === "/" ? null : place.slice(0, Math.max(1, cut));
  }
  const bytes = bytesOf(place);
  return placeOfBytes(bytes.slice(0, Math.max(1, bytes.lastIndexOf(0x2f))));
}

/// The last component, as text.
export function nameOf(place) {
  const path = pathOf(place);
  return path === "/" ? path : path.slice(path.lastIndexOf("/") + 1);
}

/// Whether a place is another or lies in it.
export const isWithin = (place, outer) =>
  place === outer || outer === "/" || pathOf(place).startsWith(`${pathOf(outer)}/`);

/// The path as seen from a directory that it lies in.
export function relative(path, directory) {
  if (!directory) return path;
  const base = pathOf(directory);
  if (path === base) return ".";
  const start = base === "/" ? "/" : `${base}/`;
  return path.startsWith(start) ? path.slice(start.length) : path;
}
