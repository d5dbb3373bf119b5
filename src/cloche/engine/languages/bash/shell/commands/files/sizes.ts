/** Sizes as ls, du and stat show them. */
import { CommandError } from "../tool/errors.ts";

const UNITS = "KMGTPEZY";

/** 1.5K, 20M: rounded up, one decimal below ten. */
export function humanSize(size: number, base = 1024): string {
  if (size < base) return String(size);
  let value = size;
  let power = -1;
  while (value >= base && power < UNITS.length - 1) {
    value /= base;
    power++;
  }
  const tenths = Math.ceil(value * 10 - 1e-9) / 10;
  let text = tenths < 10 ? tenths.toFixed(1) : String(Math.ceil(value - 1e-9));
  if (Number(text) >= base && power < UNITS.length - 1) {
    text = "1.0";
    power++;
  }
  const unit = UNITS[power];
  return text + (base === 1000 && unit === "K" ? "k" : unit);
}

/** A unit in which sizes are counted. */
export interface SizeUnit {
  /** Bytes; 0 for human-readable. */
  bytes: number;
  base: number;
  suffix: string;
}

/** What --block-size takes: 1K, MB, 512, human-readable, si. */
export function readBlockSize(text: string, option = "--block-size"): SizeUnit {
  if (text === "human-readable") return { bytes: 0, base: 1024, suffix: "" };
  if (text === "si") return { bytes: 0, base: 1000, suffix: "" };
  const [, digits, unit, second] = /^'?(\d*)([KkMGTPEZY]?)(B|iB)?$/.exec(text) ?? [];
  if (unit === undefined || text === "" || second && unit === "" || digits === "0") {
    throw new CommandError(`invalid ${option} argument '${text}'`);
  }
  const base = second === "B" ? 1000 : 1024;
  const bytes = Number(digits || 1) * base ** (UNITS.indexOf(unit.toUpperCase() || "?") + 1);
  return { bytes, base, suffix: digits === "" ? unit + (second === "B" ? "B" : "") : "" };
}

export function showSize(size: number, { bytes, base, suffix }: SizeUnit): string {
  return bytes === 0 ? humanSize(size, base) : Math.ceil(size / bytes) + suffix;
}
