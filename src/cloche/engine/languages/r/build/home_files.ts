/** The files of R's own folders: which of them are wanted, and where they belong in its archive. */

import { gunzipSync } from "node:zlib";

/** Files that are of no use here, such as documentation and data of programs that are missing. */
const LEFT_OUT =
  /^usr\/(share\/(gdal|proj|udunits)|lib\/R\/(doc|tests)|lib\/R\/library\/(tcltk|translations|webr|[^/]+\/(html|doc|demo|tests)))\//;

interface Image {
  files: { filename: string; start: number; end: number }[];
  gzip?: boolean;
}

type Files = Map<string, Uint8Array>;

/** The files that webR keeps beside its module, by their paths without the first slash. */
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
