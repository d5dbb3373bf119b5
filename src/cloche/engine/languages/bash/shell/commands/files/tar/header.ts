/** The headers of tar archives: GNU's, POSIX' (pax) and the old ones. */
import { CommandError } from "../../tool/errors.ts";
import { concatBytes } from "../../../../../../text/bytes.ts";
import { decodeText, encodeText, fromArray, toArray } from "../../../../text/byte_strings.ts";

export const BLOCK = 512;
export const NO_ARCHIVE = "This does not look like a tar archive\nExiting with failure status due to previous errors";
const NAME_LENGTH = 100;
const PREFIX_LENGTH = 155;
const OCTAL_LIMIT = 8 ** 11;

/** One member of an archive. */
export interface Member {
  name: string;
  mode: number;
  uid: number;
  gid: number;
  size: number;
  /** Seconds, perhaps with a fraction. */
  mtime: number;
  /** As in the header: 0 file, 1 hard link, 2 symbolic link, 5 directory. */
  type: string;
  link: string;
  user: string;
  group: string;
}

export type Format = "gnu" | "pax" | "ustar";

/** The header blocks of a member, with those that hold what does not fit. */
export function encodeHeader(member: Member, format: Format): Uint8Array {
  const parts: Uint8Array[] = [];
  const name = toArray(encodeText(member.name));
  const link = toArray(encodeText(member.link));
  const split = format === "gnu" ? undefined : splitName(name);
  const longName = name.length > NAME_LENGTH && split === undefined;
  const longLink = link.length > NAME_LENGTH;
  if (format === "ustar" && (longName || longLink)) {
    throw new CommandError(`${member.name}: file name is too long (cannot be split); not dumped`, 2);
  }
  if (format === "gnu") {
    if (longLink) parts.push(extraMember("K", "././@LongLink", zeroEnded(link)));
    if (longName) parts.push(extraMember("L", "././@LongLink", zeroEnded(name)));
  } else if (format === "pax") {
    const records: [string, string][] = [];
    if (longName) records.push(["path", member.name]);
    if (longLink) records.push(["linkpath", member.link]);
    if (member.size >= OCTAL_LIMIT) records.push(["size", String(member.size)]);
    if (!Number.isInteger(member.mtime)) records.push(["mtime", member.mtime.toFixed(9).replace(/0+$/, "")]);
    if (records.length > 0) parts.push(extraMember("x", paxName(member.name), paxRecords(records)));
  }
  const prefix = longName ? undefined : split;
  parts.push(block(member, prefix?.[1] ?? name, link, prefix?.[0] ?? new Uint8Array(), format));
  return parts.length === 1 ? parts[0] : concatBytes(parts);
}

/** ustar has room for the folders of a long name. */
function splitName(name: Uint8Array): [Uint8Array, Uint8Array] | undefined {
  if (name.length <= NAME_LENGTH) return undefined;
  for (let at = name.length - NAME_LENGTH - 1; at < Math.min(name.length - 1, PREFIX_LENGTH + 1); at++) {
    if (at > 0 && name[at] === 47) return [name.subarray(0, at), name.subarray(at + 1)];
  }
  return undefined;
}

function zeroEnded(bytes: Uint8Array): Uint8Array {
  return concatBytes([bytes, new Uint8Array(1)]);
}

function paxName(name: string): string {
  const slash = name.replace(/\/$/, "").lastIndexOf("/");
  const folder = slash < 0 ? "." : name.slice(0, slash);
  return `${folder}/PaxHeaders/${name.slice(slash + 1)}`.slice(-NAME_LENGTH + 1);
}

function paxRecords(records: [string, string][]): Uint8Array {
  const lines = records.map(([key, value]) => {
    const text = encodeText(` ${key}=${value}\n`);
    let length = text.length + 1;
    while (String(length).length + text.length !== length) length = String(length).length + text.length;
    return `${length}${text}`;
  });
  return toArray(lines.join(""));
}

function extraMember(type: string, name: string, data: Uint8Array): Uint8Array {
  const member: Member = {
    name,
    mode: 0o644,
    uid: 0,
    gid: 0,
    size: data.length,
    mtime: 0,
    type,
    link: "",
    user: type === "x" ? "" : "root",
    group: type === "x" ? "" : "root",
  };
  const head = block(
    member,
    toArray(encodeText(name)),
    new Uint8Array(),
    new Uint8Array(),
    type === "x" ? "pax" : "gnu",
  );
  return concatBytes([head, data, new Uint8Array(padding(data.length))]);
}

function block(
  member: Member,
  name: Uint8Array,
  link: Uint8Array,
  prefix: Uint8Array,
  format: Format,
): Uint8Array {
  const bytes = new Uint8Array(BLOCK);
  const put = (at: number, length: number, text: Uint8Array) => bytes.set(text.subarray(0, length), at);
  const text = (at: number, length: number, value: string) => put(at, length, toArray(encodeText(value)));
  put(0, NAME_LENGTH, name);
  number(bytes, 100, 8, member.mode & 0o7777);
  number(bytes, 108, 8, member.uid);
  number(bytes, 116, 8, member.gid);
  number(bytes, 124, 12, member.size);
  number(bytes, 136, 12, Math.max(0, Math.floor(member.mtime)));
  text(156, 1, member.type);
  put(157, NAME_LENGTH, link);
  text(257, 8, format === "gnu" ? "ustar  \0" : "ustar\x0000");
  text(265, 31, member.user);
  text(297, 31, member.group);
  if (format !== "gnu") put(345, PREFIX_LENGTH, prefix);
  bytes.fill(32, 148, 156);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  text(148, 8, `${sum.toString(8).padStart(6, "0")}\0 `);
  return bytes;
}

function number(bytes: Uint8Array, at: number, length: number, value: number): void {
  const octal = value.toString(8);
  if (octal.length < length) {
    bytes.set(toArray(`${octal.padStart(length - 1, "0")}\0`), at);
    return;
  }
  for (let i = length - 1, rest = value; i > 0; i--, rest = Math.floor(rest / 256)) bytes[at + i] = rest % 256;
  bytes[at] = 0x80;
}

export function padding(size: number): number {
  return (BLOCK - size % BLOCK) % BLOCK;
}

/** A header block; undefined if it is empty. Throws if it is none. */
export function decodeHeader(bytes: Uint8Array): Member | undefined {
  if (bytes.every((byte) => byte === 0)) return undefined;
  const text = (at: number, length: number) => {
    const part = bytes.subarray(at, at + length);
    const end = part.indexOf(0);
    return decodeText(fromArray(end < 0 ? part : part.subarray(0, end)));
  };
  const sum = bytes.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0);
  if (readNumber(bytes, 148, 8) !== sum) throw new CommandError(NO_ARCHIVE, 2);
  const posix = text(257, 6) === "ustar";
  const prefix = posix && bytes[263] === 48 ? text(345, PREFIX_LENGTH) : "";
  const name = text(0, NAME_LENGTH);
  const type = bytes[156] === 0 || bytes[156] === 55 ? "0" : String.fromCharCode(bytes[156]);
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    mode: readNumber(bytes, 100, 8),
    uid: readNumber(bytes, 108, 8),
    gid: readNumber(bytes, 116, 8),
    size: readNumber(bytes, 124, 12),
    mtime: readNumber(bytes, 136, 12),
    type: type === "0" && name.endsWith("/") ? "5" : type,
    link: text(157, NAME_LENGTH),
    user: text(265, 32),
    group: text(297, 32),
  };
}

function readNumber(bytes: Uint8Array, at: number, length: number): number {
  if (bytes[at] & 0x80) {
    let value = bytes[at] & 0x7f;
    for (let i = 1; i < length; i++) value = value * 256 + bytes[at + i];
    return value;
  }
  const digits = /[0-7]+/.exec(fromArray(bytes.subarray(at, at + length)))?.[0];
  return digits === undefined ? 0 : parseInt(digits, 8);
}

/** Changes a member by the records of a pax header. */
export function applyPax(member: Member, data: Uint8Array): void {
  const text = fromArray(data);
  for (let at = 0; at < text.length;) {
    const length = parseInt(text.slice(at, at + 12));
    if (!(length > 0)) return;
    const record = text.slice(at, at + length - 1);
    const [, key, value] = /^\d+ ([^=]*)=([^]*)$/.exec(record) ?? [];
    if (key === "path") member.name = decodeText(value);
    else if (key === "linkpath") member.link = decodeText(value);
    else if (key === "size") member.size = Number(value);
    else if (key === "mtime") member.mtime = Number(value);
    else if (key === "uname") member.user = decodeText(value);
    else if (key === "gname") member.group = decodeText(value);
    at += length;
  }
}
