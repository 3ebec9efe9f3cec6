// Numbers, sizes and dates, as people of a language write them.
import { language, t } from "./texts.js";

let numbers, decimals, dates, days, moments, times, relatives, percents;

/// Chooses how to write; called again when the language changes.
export function setLocale() {
  // The region is that of the browser, where its language is the chosen one.
  const locale = navigator.languages.find((each) => each.toLowerCase().split("-")[0] === language())
    ?? { de: "de-DE", en: "en-GB" }[language()];
  numbers = new Intl.NumberFormat(locale);
  decimals = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  percents = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
  dates = new Intl.DateTimeFormat(locale,
    { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
  moments = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  days = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" });
  times = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "medium" });
  relatives = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
}

export const number = (value) => numbers.format(value);

/// Bytes as the command prints them: 1024-based and rounded up, so that what is shown is never less than what is
/// there.
export function bytes(value) {
  if (value < 0) return `\u2212${bytes(-value)}`;
  const units = ["", "K", "M", "G", "T", "P", "E"];
  let rest = value, unit = 0;
  while (rest >= 1024 && unit < units.length - 1) { rest /= 1024; unit += 1; }
  const isShort = unit > 0 && rest <= 9.9;
  let shown = isShort ? Math.ceil(rest * 10) / 10 : Math.ceil(rest);
  if (shown === 1024 && unit < units.length - 1) return `${decimals.format(1)}${units[unit + 1]}`;
  return (isShort ? decimals.format(shown) : numbers.format(shown)) + units[unit];
}

/// By how much something grew, with its sign.
export const grown = (value) => (value > 0 ? `+${bytes(value)}` : bytes(value));

/// Bytes in full.
export const exactBytes = (value) => t("bytes", { count: value });

export const date = (seconds) => dates.format(seconds * 1000);
/// A date as short as it can be: of this year without the year, of others without the time.
export const shortDate = (seconds) => {
  const moment = new Date(seconds * 1000);
  return (moment.getFullYear() === new Date().getFullYear() ? moments : days).format(moment);
};
export const day = (seconds) => days.format(seconds * 1000);
export const fullDate = (seconds) => times.format(seconds * 1000);

/// How long ago: "5 minutes ago".
export function ago(seconds, now = Date.now() / 1000) {
  let span = seconds - now;
  for (const [unit, size] of [["second", 60], ["minute", 60], ["hour", 24], ["day", 30.4], ["month", 12]]) {
    if (Math.abs(span) < size) return relatives.format(Math.round(span), unit);
    span /= size;
  }
  return relatives.format(Math.round(span), "year");
}

/// A part of a whole.
export function share(part, whole) {
  if (!(whole > 0)) return "";
  const ratio = part / whole;
  if (ratio > 0 && ratio < 0.001) return `<${percents.format(0.001)}`;
  return percents.format(ratio >= 1 ? 1 : Math.min(ratio, 0.999));
}

/// The permission bits as `ls` writes them, and as digits.
export function mode(value) {
  const letters = [..."rwxrwxrwx"].map((letter, index) => (value & (0o400 >> index) ? letter : "-"));
  for (const [bit, place, lower, upper] of [[0o4000, 2, "s", "S"], [0o2000, 5, "s", "S"], [0o1000, 8, "t", "T"]]) {
    if (value & bit) letters[place] = letters[place] === "x" ? lower : upper;
  }
  return `${letters.join("")} ${(value & 0o7777).toString(8).padStart(4, "0")}`;
}
