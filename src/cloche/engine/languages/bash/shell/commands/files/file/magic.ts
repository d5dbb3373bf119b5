/** How binary formats begin, and what file says of them. */
import { decodeLatin1 } from "../../../../../../text/bytes.ts";

/** What a file is: the words, the media type. */
export interface Description {
  text: string;
  mime: string;
}

type Describe = (bytes: Uint8Array, view: DataView) => string;

interface Magic {
  at?: number;
  start: string;
  text: string | Describe;
  mime: string;
  /** What else must be there. */
  also?: [at: number, start: string];
}

const little = (view: DataView, at: number) => view.byteLength >= at + 2 ? view.getUint16(at, true) : 0;
const big = (view: DataView, at: number) => view.byteLength >= at + 4 ? view.getUint32(at) : 0;

const MAGICS: Magic[] = [
  { start: "\x89PNG\r\n\x1a\n", text: describePng, mime: "image/png" },
  {
    start: "GIF8",
    text: (bytes, view) => `GIF image data, version ${latin(bytes, 3, 6)}, ${little(view, 6)} x ${little(view, 8)}`,
    mime: "image/gif",
  },
  { start: "\xff\xd8\xff", text: describeJpeg, mime: "image/jpeg" },
  { start: "RIFF", also: [8, "WEBP"], text: "RIFF (little-endian) data, Web/P image", mime: "image/webp" },
  { start: "RIFF", also: [8, "WAVE"], text: "RIFF (little-endian) data, WAVE audio", mime: "audio/x-wav" },
  { start: "RIFF", also: [8, "AVI "], text: "RIFF (little-endian) data, AVI", mime: "video/x-msvideo" },
  { start: "BM", also: [6, "\0\0\0\0"], text: "PC bitmap", mime: "image/bmp" },
  { start: "II*\0", text: "TIFF image data, little-endian", mime: "image/tiff" },
  { start: "MM\0*", text: "TIFF image data, big-endian", mime: "image/tiff" },
  { start: "\0\0\x01\0", text: "MS Windows icon resource", mime: "image/vnd.microsoft.icon" },
  { start: "%PDF-", text: (bytes) => `PDF document, version ${latin(bytes, 5, 8)}`, mime: "application/pdf" },
  { start: "\x1f\x8b", text: describeGzip, mime: "application/gzip" },
  {
    start: "BZh",
    text: (bytes) => `bzip2 compressed data, block size = ${latin(bytes, 3, 4)}00k`,
    mime: "application/x-bzip2",
  },
  { start: "\xfd7zXZ\0", text: describeXz, mime: "application/x-xz" },
  { start: "\x28\xb5\x2f\xfd", text: "Zstandard compressed data (v0.8+)", mime: "application/zstd" },
  { start: "7z\xbc\xaf\x27\x1c", text: "7-zip archive data, version 0.4", mime: "application/x-7z-compressed" },
  { start: "Rar!\x1a\x07", text: "RAR archive data", mime: "application/x-rar" },
  { start: "PK\x03\x04", text: describeZip, mime: "application/zip" },
  { start: "PK\x05\x06", text: "Zip archive data (empty)", mime: "application/zip" },
  {
    start: "!<arch>\ndebian",
    text: "Debian binary package (format 2.0)",
    mime: "application/vnd.debian.binary-package",
  },
  { start: "!<arch>\n", text: "current ar archive", mime: "application/x-archive" },
  { at: 257, start: "ustar  \0", text: "POSIX tar archive (GNU)", mime: "application/x-tar" },
  { at: 257, start: "ustar\0", text: "POSIX tar archive", mime: "application/x-tar" },
  { start: "070701", text: "ASCII cpio archive (SVR4 with no CRC)", mime: "application/x-cpio" },
  { start: "070707", text: "ASCII cpio archive (pre-SVR4 or odc)", mime: "application/x-cpio" },
  { start: "SQLite format 3\0", text: describeSqlite, mime: "application/vnd.sqlite3" },
  { start: "\x7fELF", text: describeElf, mime: "application/x-executable" },
  {
    start: "\0asm",
    text: (_, view) => `WebAssembly (wasm) binary module version 0x${view.getUint8(4).toString(16)} (MVP)`,
    mime: "application/wasm",
  },
  { start: "MZ", text: "MS-DOS executable", mime: "application/x-dosexec" },
  { start: "\xca\xfe\xba\xbe\0\0\0", text: describeCafebabe, mime: "application/x-java-applet" },
  {
    start: "dex\n",
    text: (bytes) => `Dalvik dex file version ${latin(bytes, 4, 7)}`,
    mime: "application/octet-stream",
  },
  { start: "\xcf\xfa\xed\xfe", text: "Mach-O 64-bit executable", mime: "application/x-mach-binary" },
  { start: "OggS", text: "Ogg data", mime: "application/ogg" },
  { start: "fLaC", text: "FLAC audio bitstream data", mime: "audio/flac" },
  { start: "ID3", text: "Audio file with ID3", mime: "audio/mpeg" },
  { at: 4, start: "ftyp", text: "ISO Media", mime: "video/mp4" },
  { start: "\x1aE\xdf\xa3", text: "Matroska data", mime: "video/x-matroska" },
  { start: "wOFF", text: "Web Open Font Format", mime: "font/woff" },
  { start: "wOF2", text: "Web Open Font Format (Version 2)", mime: "font/woff2" },
  { start: "\0\x01\0\0\0", text: "TrueType Font data", mime: "font/sfnt" },
  { start: "OTTO", text: "OpenType font data", mime: "application/vnd.ms-opentype" },
  { start: "PAR1", text: "Apache Parquet", mime: "application/octet-stream" },
  { start: "\x89HDF\r\n\x1a\n", text: "Hierarchical Data Format (version 5) data", mime: "application/x-hdf5" },
  { start: "\x93NUMPY", text: "NumPy data file", mime: "application/octet-stream" },
  {
    start: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    text: "Composite Document File V2 Document",
    mime: "application/x-ole-storage",
  },
  { start: "DIRC", text: "Git index", mime: "application/octet-stream" },
];

function latin(bytes: Uint8Array, from: number, to: number): string {
  return decodeLatin1(bytes.subarray(from, to));
}

/** What the first bytes say; undefined if they are of no known format. */
export function describeMagic(bytes: Uint8Array): Description | undefined {
  const head = latin(bytes, 0, 512);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const { at = 0, start, text, mime, also } of MAGICS) {
    if (!head.startsWith(start, at) || also && !head.startsWith(also[1], also[0])) continue;
    const described = typeof text === "string" ? text : text(bytes, view);
    return { text: described, mime: start === "PK\x03\x04" ? zipMime(described) : mime };
  }
  return undefined;
}

const PNG_COLORS: Record<number, string> = {
  0: "grayscale",
  2: "/color RGB",
  3: "colormap",
  4: "gray+alpha",
  6: "/color RGBA",
};

function describePng(bytes: Uint8Array, view: DataView): string {
  if (bytes.length < 29) return "PNG image data";
  const color = PNG_COLORS[bytes[25]] ?? "";
  const kind = `${bytes[24]}-bit${color.startsWith("/") ? "" : " "}${color}`;
  return `PNG image data, ${big(view, 16)} x ${big(view, 20)}, ${kind}, ${bytes[28] ? "interlaced" : "non-interlaced"}`;
}

/** The size is in the first frame, after segments that have their lengths. */
function describeJpeg(bytes: Uint8Array, view: DataView): string {
  let text = "JPEG image data";
  if (latin(bytes, 6, 10) === "JFIF") {
    const unit = ["aspect ratio", "resolution (DPI)", "resolution (DPCM)"][bytes[13]] ?? "aspect ratio";
    const density = bytes.length >= 18 ? `${view.getUint16(14)}x${view.getUint16(16)}` : "1x1";
    text += `, JFIF standard ${bytes[11]}.${String(bytes[12]).padStart(2, "0")}, ${unit}, density ${density}` +
      `, segment length ${view.getUint16(4)}`;
  } else if (latin(bytes, 6, 10) === "Exif") text += ", Exif standard";
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1];
    if (marker >= 0xc0 && marker <= 0xc3) {
      const kind = marker === 0xc2 ? "progressive" : "baseline";
      return `${text}, ${kind}, precision ${bytes[at + 4]}, ${view.getUint16(at + 7)}x${view.getUint16(at + 5)}` +
        `, components ${bytes[at + 9]}`;
    }
    at += 2 + view.getUint16(at + 2);
  }
  return text;
}

const SYSTEMS: Record<number, string> = {
  0: "FAT filesystem (MS-DOS, OS/2, NT)",
  3: "Unix",
  7: "Macintosh",
  11: "NTFS filesystem (NT)",
};
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function describeGzip(bytes: Uint8Array, view: DataView): string {
  let text = "gzip compressed data";
  if (bytes.length < 10) return text;
  if (bytes[3] & 8) {
    const end = bytes.indexOf(0, 10);
    text += `, was "${latin(bytes, 10, end < 0 ? 10 : end)}"`;
  }
  const time = view.getUint32(4, true);
  if (time !== 0) {
    const date = new Date(time * 1000);
    const clock = date.toISOString().slice(11, 19);
    const day = String(date.getUTCDate()).padStart(2);
    text += `, last modified: ${DAYS[date.getUTCDay()]} ${
      MONTHS[date.getUTCMonth()]
    } ${day} ${clock} ${date.getUTCFullYear()}`;
  }
  if (bytes[8] === 2) text += ", max compression";
  if (bytes[8] === 4) text += ", max speed";
  return text + (SYSTEMS[bytes[9]] === undefined ? "" : `, from ${SYSTEMS[bytes[9]]}`);
}

function describeXz(bytes: Uint8Array): string {
  const check = { 0: "NONE", 1: "CRC32", 4: "CRC64", 10: "SHA-256" }[bytes[7] & 15];
  return `XZ compressed data${check ? `, checksum ${check}` : ""}`;
}

const OFFICE: [string, string][] = [
  ["word/", "Microsoft Word 2007+"],
  ["xl/", "Microsoft Excel 2007+"],
  ["ppt/", "Microsoft PowerPoint 2007+"],
];
const OFFICE_MIME: Record<string, string> = {
  "Microsoft Word 2007+": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "Microsoft Excel 2007+": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "Microsoft PowerPoint 2007+": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  "OpenDocument Text": "application/vnd.oasis.opendocument.text",
  "OpenDocument Spreadsheet": "application/vnd.oasis.opendocument.spreadsheet",
  "EPUB document": "application/epub+zip",
  "Java archive data (JAR)": "application/java-archive",
};

function zipMime(text: string): string {
  return OFFICE_MIME[text] ?? "application/zip";
}

function describeZip(bytes: Uint8Array, view: DataView): string {
  const text = latin(bytes, 0, bytes.length);
  const first = text.slice(30, 30 + little(view, 26));
  if (first === "mimetype") {
    const type = text.slice(38, 90);
    if (type.startsWith("application/epub+zip")) return "EPUB document";
    if (type.startsWith("application/vnd.oasis.opendocument.text")) return "OpenDocument Text";
    if (type.startsWith("application/vnd.oasis.opendocument.spreadsheet")) return "OpenDocument Spreadsheet";
  }
  if (first.startsWith("META-INF/")) return "Java archive data (JAR)";
  if (first === "[Content_Types].xml" || first.startsWith("_rels/")) {
    const office = OFFICE.find(([folder]) => text.includes(folder));
    if (office) return office[1];
  }
  const version = bytes[4];
  const method = { 0: "store", 8: "deflate", 12: "bzip2", 14: "lzma", 93: "zstd" }[little(view, 8)] ?? "unknown";
  return `Zip archive data, at least v${Math.floor(version / 10)}.${
    version % 10
  } to extract, compression method=${method}`;
}

function describeSqlite(bytes: Uint8Array, view: DataView): string {
  if (bytes.length < 100) return "SQLite 3.x database";
  const encoding = ["", "UTF-8", "UTF-16le", "UTF-16be"][big(view, 56)] ?? "";
  return `SQLite 3.x database, last written using SQLite version ${big(view, 96)}, file counter ${big(view, 24)}` +
    `, database pages ${big(view, 28)}, cookie 0x${big(view, 40).toString(16)}, schema ${big(view, 44)}` +
    `${encoding === "" ? "" : `, ${encoding}`}, version-valid-for ${big(view, 92)}`;
}

const JAVA_LAST = 62;
const PROCESSORS: Record<number, string> = {
  7: "i386",
  12: "arm",
  18: "ppc",
  0x01000007: "x86_64",
  0x0100000c: "arm64",
  0x01000012: "ppc64",
};

/** Java's classes and programs for several processors begin alike: the latter are few. */
function describeCafebabe(bytes: Uint8Array, view: DataView): string {
  const version = big(view, 4);
  if (version < 20) return describeUniversal(version, view);
  const release = version - 44;
  const name = release < 2 || version > JAVA_LAST ? "" : release < 9 ? ` (Java 1.${release})` : ` (Java SE ${release})`;
  return `compiled Java class data, version ${version}.${bytes[4] << 8 | bytes[5]}${name}`;
}

function describeUniversal(count: number, view: DataView): string {
  const names = Array.from({ length: count }, (_, i) => {
    const kind = big(view, 8 + 20 * i);
    return PROCESSORS[kind] ?? `cputype (${kind})`;
  });
  const s = count === 1 ? "" : "s";
  return `Mach-O universal binary with ${count} architecture${s}: [${names.join("] [")}]`;
}

const ELF_KINDS: Record<number, string> = { 1: "relocatable", 2: "executable", 3: "shared object", 4: "core file" };
const MACHINES: Record<number, string> = {
  3: "Intel 80386",
  40: "ARM",
  62: "x86-64",
  183: "ARM aarch64",
  243: "UCB RISC-V",
};

function describeElf(bytes: Uint8Array, view: DataView): string {
  if (bytes.length < 20) return "ELF";
  const [size, system] = [bytes[4], bytes[7]];
  if (size !== 1 && size !== 2) return `ELF${system === 0 ? " (SYSV)" : ""}, unknown class ${size}`;
  const isLittle = bytes[5] === 1;
  const kind = ELF_KINDS[view.getUint16(16, isLittle)] ?? "unknown";
  const machine = MACHINES[view.getUint16(18, isLittle)] ?? "unknown arch";
  return `ELF ${bytes[4] === 2 ? 64 : 32}-bit ${isLittle ? "LSB" : "MSB"} ${kind}, ${machine}, version 1 (SYSV)`;
}
