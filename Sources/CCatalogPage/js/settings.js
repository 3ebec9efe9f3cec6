// What this browser remembers. Where nothing may be stored, it is forgotten with the page.

export function recall(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(`filecat.${key}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function remember(key, value) {
  try {
    localStorage.setItem(`filecat.${key}`, JSON.stringify(value));
  } catch { /* forgotten */ }
}
