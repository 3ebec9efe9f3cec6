// Icons, drawn on a square of sixteen. Those of entries have two tones: a body, and what is drawn on it.
import { draw } from "./dom.js";

const sheet = "M4 1.5h5.2L12.5 4.8v8.7a1 1 0 0 1-1 1H4.5a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1z";
const corner = "M9 1.8v2.4a.8.8 0 0 0 .8.8h2.4";

/// name: [class of its colour, body, lines]
const entries = {
  directory: ["directory", "M1.5 4.2A1.2 1.2 0 0 1 2.700 3h3.100l1.500 1.700h6A1.200 1.200 0 0 1 14.500 5.900v6A1.200 1.200 0 0 1 13.300 13.100H2.700A1.200 1.200 0 0 1 1.500 11.900z", "M1.5 6.800h13"],
  root: ["directory", "M2 3.500a1 1 0 0 1 1-1h10a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1z", "M2 9.500h12M11.300 11.500h.4M8.800 11.500h.4"],
  package: ["package", "M8 1.500l5.700 3v7L8 14.500l-5.700-3v-7z", "M2.300 4.500L8 7.500l5.700-3M8 7.500v7"],
  file: ["neutral", sheet, corner],
  text: ["neutral", sheet, `${corner}M5.700 7.500h4.600M5.700 9.500h4.600M5.700 11.500h2.800`],
  document: ["document", sheet, `${corner}M5.700 7.500h4.600M5.700 9.500h4.600M5.700 11.500h2.800`],
  code: ["code", sheet, `${corner}M6.700 7.700L5 9.500l1.700 1.800M9.300 7.700L11 9.500l-1.700 1.800`],
  image: ["image", "M2 3.500a1 1 0 0 1 1-1h10a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1z", "M2 11l3.300-3.300 2.700 2.600 2-1.800 4 3.500M10.500 5.700h.01"],
  audio: ["audio", sheet, "M6.500 11.200V6.700l3.500-.8v4.500M6.500 11.200a1 1 0 1 1-2 0 1 1 0 0 1 2 0zM10 10.400a1 1 0 1 1-2 0 1 1 0 0 1 2 0z"],
  video: ["video", "M1.500 4.500a1 1 0 0 1 1-1h11a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1z", "M6.700 6.200v3.600L9.800 8z"],
  archive: ["archive", sheet, "M8 1.700v1.600M8 4.700v1.600M8 7.700v1M6.900 9.200h2.200v2.300H6.900z"],
  symlink: ["link", sheet, `${corner}M5.600 11.500c0-2.300 1.200-3.400 4-3.400M8.300 6.500l1.700 1.600-1.700 1.700`],
  broken: ["broken", sheet, `${corner}M6.200 7.700l3.600 3.600M9.800 7.700l-3.600 3.600`],
  special: ["special", "M8 1.800l6 6.200-6 6.200L2 8z", "M6 8h4"],
};

/// name: lines
const signs = {
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.600 10.600L14 14",
  clear: "M4.500 4.500l7 7M11.500 4.500l-7 7",
  chevron: "M6 3.500L10.500 8 6 12.500",
  up: "M8 13V3.500M4 7.300L8 3.300l4 4",
  down: "M8 3v9.500M4 8.700l4 4 4-4",
  files: "M2 3.500h12M2 8h12M2 12.500h12",
  map: "M2 2.500h12v11H2zM8.500 2.500v11M8.500 7.500H14",
  growth: "M2 13.500h12M2.500 10.500l3.500-4 3 2.500 4.500-6",
  changes: "M8 4v4.200l2.800 1.600M2.300 8a5.700 5.700 0 1 0 1.900-4.300M2.300 2.300v2.400h2.400",
  reports: "M3 13.500v-4M8 13.500v-11M13 13.500V6.500",
  columns: "M2 3h12v10H2zM6.300 3v10M10 3v10",
  details: "M2 3h12v10H2zM9.700 3v10",
  settings: "M2 4.500h5M11 4.500h3M2 11.500h3M9 11.500h5M9 6.300a1.800 1.800 0 1 0 0-3.600 1.800 1.800 0 0 0 0 3.600zM7 13.300a1.800 1.800 0 1 0 0-3.600 1.800 1.800 0 0 0 0 3.600z",
  help: "M5.800 6a2.200 2.200 0 1 1 3.300 1.900c-.7.400-1.100.9-1.100 1.600M8 12.200h.01",
  copy: "M5.500 5.500h7.500V13H5.500zM3 10.500V3h7.500",
  treemap: "M2 2.500h12v11H2zM7 2.500v11M7 8.500h7",
  sunburst: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 10.200a2.200 2.200 0 1 0 0-4.400 2.200 2.200 0 0 0 0 4.400zM8 2v3.800M13.200 11l-3.300-1.900M2.800 11l3.300-1.900",
};

const kinds = {
  image: "png jpg jpeg gif heic heif tif tiff bmp webp avif svg ico psd raw cr2 nef dng xcf",
  audio: "mp3 m4a aac flac wav aif aiff ogg oga opus mid midi wma",
  video: "mp4 m4v mov mkv avi webm mpg mpeg wmv ogv",
  archive: "zip gz tgz bz2 xz zst tar 7z rar deb rpm jar dmg iso lz4 cab whl",
  code: "swift c h cc cpp hpp m mm js mjs ts jsx tsx py rb rs go java kt sh bash zsh pl php lua sql css html htm xml json yaml yml toml r scala hs ml el vim cmake mk",
  document: "pdf doc docx odt rtf pages xls xlsx ods numbers ppt pptx odp key epub",
  text: "txt md markdown log csv tsv ini cfg conf tex rst",
};
const kindOfExtension = new Map(
  Object.entries(kinds).flatMap(([kind, list]) => list.split(" ").map((each) => [each, kind])));

/// Which icon stands for an entry.
function iconName(entry) {
  switch (entry.kind) {
    case "directory": return entry.depth === 0 ? "root" : "directory";
    case "package": return "package";
    case "symlink": return entry.is_broken ? "broken" : "symlink";
    case "file": return kindOfExtension.get((entry.extension ?? "").toLowerCase()) ?? "file";
    default: return "special";
  }
}

/// The icon of an entry.
export function entryIcon(entry) {
  const [tone, body, lines] = entries[iconName(entry)];
  return draw("svg", { class: `icon kind ${tone}`, viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" },
    draw("path", { class: "body", d: body }), draw("path", { class: "lines", d: lines }));
}

/// A sign, as on a button.
export function sign(name) {
  return draw("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" },
    draw("path", { d: signs[name] }));
}
