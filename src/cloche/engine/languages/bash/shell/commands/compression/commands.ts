/** xz, bzip2 and zstd under all their names. */
import type { Command } from "../../processes/command.ts";
import { decodeBzip2 } from "./bzip2_decode.ts";
import { encodeBzip2 } from "./bzip2_encode.ts";
import { compressionTool, type Format } from "./tool.ts";
import { decodeXz, encodeXz } from "./xz_format.ts";
import { decodeZstd } from "./zstd_decode.ts";
import { encodeZstd } from "./zstd_encode.ts";

const COMMON = {
  compress: "z",
  decompress: "d",
  uncompress: "d",
  stdout: "c",
  "to-stdout": "c",
  keep: "k",
  force: "f",
  test: "t",
  quiet: "q",
  verbose: "v",
  fast: "1",
  best: "9",
};

const XZ: Format = {
  suffix: ".xz",
  suffixes: { ".xz": "", ".txz": ".tar", ".lzma": "", ".tlz": ".tar" },
  letters: "zdckftqvQ0123456789eT:S:M:F:C:",
  long: {
    ...COMMON,
    extreme: "e",
    threads: "T",
    suffix: "S",
    memlimit: "M",
    format: "F",
    check: "C",
    "no-warn": "Q",
  },
  keeps: false,
  level: 6,
  badCode: 1,
  encode: encodeXz,
  decode: decodeXz,
  says: {
    unknownSuffix: (file) => `${file}: Filename has an unknown suffix, skipping`,
    exists: (file) => `${file}: File exists`,
    bad: (file, reason) => `${file}: ${reason}`,
    absent: (file, reason) => `${file}: ${reason}`,
    terminal: "Compressed data cannot be written to a terminal",
  },
};

const BZIP2: Format = {
  suffix: ".bz2",
  suffixes: { ".bz2": "", ".bz": "", ".tbz2": ".tar", ".tbz": ".tar" },
  letters: "zdckftqvs123456789",
  long: { ...COMMON, small: "s" },
  keeps: false,
  level: 9,
  badCode: 2,
  encode: encodeBzip2,
  decode: decodeBzip2,
  says: {
    unknownSuffix: (file) => `Can't guess original name for ${file} -- using ${file}.out`,
    exists: (file) => `Output file ${file} already exists.`,
    bad: (file, reason) => reason.startsWith("not a") ? `${file} is ${reason}` : `${file}: ${reason}`,
    absent: (file, reason) => `Can't open input file ${file}: ${reason}.`,
    terminal: "I won't write compressed data to a terminal.",
  },
};

const ZSTD: Format = {
  suffix: ".zst",
  suffixes: { ".zst": "", ".tzst": ".tar" },
  letters: "zdckftqvRo:T:0123456789",
  long: { ...COMMON, rm: "R", threads: "T", "no-progress": "q" },
  keeps: true,
  level: 3,
  badCode: 1,
  encode: encodeZstd,
  decode: decodeZstd,
  says: {
    unknownSuffix: (file) =>
      `${file}: unknown suffix (.zst expected). Can't derive the output file name. Specify it with -o dstFileName. Ignoring.`,
    exists: (file) => `${file} already exists; not overwritten  `,
    bad: (file, reason) => `${file}: ${reason} `,
    absent: (file, reason) => `can't stat ${file} : ${reason} -- ignored `,
    terminal: "stdout is a console, aborting",
  },
};

export const compressionCommands: Command[] = [
  compressionTool("xz", [], XZ),
  compressionTool("unxz", ["-d"], XZ),
  compressionTool("xzcat", ["-dc"], XZ),
  compressionTool("lzcat", ["-dc"], XZ),
  compressionTool("unlzma", ["-d"], XZ),
  compressionTool("bzip2", [], BZIP2),
  compressionTool("bunzip2", ["-d"], BZIP2),
  compressionTool("bzcat", ["-dc"], BZIP2),
  compressionTool("zstd", [], ZSTD),
  compressionTool("unzstd", ["-d"], ZSTD),
  compressionTool("zstdcat", ["-dc"], ZSTD),
];
