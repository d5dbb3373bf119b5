/** Packs the files of R's own folders into one archive: those within its program, and those beside it. */

import { crc32, gunzipSync } from "node:zlib";
import { concatBytes } from "../../../text/bytes.ts";

/** What nobody asks for here, and what is for programs that are not. */
const LEFT_OUT =
  /^usr\/(share\/(gdal|proj|udunits)|lib\/R\/(doc|tests)|lib\/R\/library\/(tcltk|translations|webr|[^/]+\/(html|doc|demo|tests)))\//;

interface Image {
  files: { filename: string; start: number; end: number }[];
  gzip?: boolean;
}

type Files = Map<string, Uint8Array>;

/** The files that webR keeps beside its program, by their places without the first slash. */
export function readImages(folder: string): Files {
  const files: Files = new Map();
  const add = (place: string, data: Uint8Array) => {
    if (!LEFT_OUT.test(place)) files.set(place, data);
  };
  for (const path of walk(folder, "")) {
    if (path.endsWith(".js.metadata")) {
      readImage(folder, path.slice(0, -".js.metadata".length), add);
    } else if (!/\.data(\.gz)?$/.test(path)) {
      add(path, Deno.readFileSync(`${folder}/${path}`));
    }
  }
  return files;
}

export function isWanted(place: string): boolean {
  return !LEFT_OUT.test(place);
}

function readImage(
  folder: string,
  place: string,
  add: (place: string, data: Uint8Array) => void,
): void {
  if (!isWanted(`${place}/`)) return;
  const { files, gzip }: Image = JSON.parse(
    Deno.readTextFileSync(`${folder}/${place}.js.metadata`),
  );
  const raw = Deno.readFileSync(`${folder}/${place}.data${gzip ? ".gz" : ""}`);
  const data = gzip ? new Uint8Array(gunzipSync(raw)) : raw;
  for (const { filename, start, end } of files) {
    add(`${place}${filename}`, data.subarray(start, end));
  }
}

function* walk(folder: string, under: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(`${folder}/${under}`)) {
    if (isDirectory) yield* walk(folder, `${under}${name}/`);
    else yield `${under}${name}`;
  }
}

/** All files under /usr, where the archive is mounted; fontconfig's too. */
export function placeFiles(files: Files): Files {
  const all: Files = new Map();
  for (const [path, data] of files) {
    if (path.startsWith("usr/")) all.set(path.slice("usr/".length), data);
    else if (path.startsWith("var/cache/")) {
      all.set(path.replace("var/cache/", "share/"), data);
    } else if (path === "etc/fonts/fonts.conf") {
      all.set("share/fonts.conf", fontSettings(data));
    }
  }
  return all;
}

function fontSettings(data: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(data).replace(
    "/var/cache/fontconfig",
    "/usr/share/fontconfig",
  );
  return new TextEncoder().encode(text);
}

/** An archive whose files are stored as they are, so that each can be read on its own. */
export function writeArchive(files: Files): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const [path, data] of [...files].sort(([a], [b]) => a < b ? -1 : 1)) {
    const name = new TextEncoder().encode(path);
    const common = [20, 0, 0, 0x210000, crc32(data), data.length, data.length];
    const local = record(0x04034b50, common, [name.length, 0], name);
    directory.push(
      record(0x02014b50, [20, ...common], [name.length, 0, 0, 0, 0], name, [
        0,
        at,
      ]),
    );
    parts.push(local, data);
    at += local.length + data.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, directory.length, true);
  end.setUint16(10, directory.length, true);
  end.setUint32(12, size, true);
  end.setUint32(16, at, true);
  return concatBytes([...parts, ...directory, new Uint8Array(end.buffer)]);
}

/** Of the numbers in front the last four are long ones, as are those of the tail. */
function record(
  signature: number,
  front: number[],
  short: number[],
  name: Uint8Array,
  tail: number[] = [],
): Uint8Array {
  const words = front.slice(0, -4);
  const view = new DataView(
    new ArrayBuffer(
      4 + words.length * 2 + 16 + short.length * 2 + tail.length * 4,
    ),
  );
  let at = 0;
  const put = (value: number, bytes: 2 | 4) => {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  };
  put(signature, 4);
  for (const value of words) put(value, 2);
  for (const value of front.slice(-4)) put(value, 4);
  for (const value of short) put(value, 2);
  for (const value of tail) put(value, 4);
  return concatBytes([new Uint8Array(view.buffer), name]);
}
