/** Paths that name descriptors of the process that uses them. */
import type { DescriptorTable } from "./table.ts";
import { Input } from "./input.ts";
import type { Later } from "../task.ts";
import type { SystemFiles } from "../processes/system_files.ts";

/** The descriptor that /dev/stdin, /dev/fd/3... name. */
export function descriptorPath(path: string): number | undefined {
  const [, number, name] = /^(?:\/dev\/fd|\/proc\/self\/fd)\/(\d+)$|^\/dev\/(stdin|stdout|stderr)$/.exec(path) ?? [];
  if (number !== undefined) return Number(number);
  return name === undefined ? undefined : ["stdin", "stdout", "stderr"].indexOf(name);
}

/** All that a file has, or that comes through a descriptor or a named pipe. */
export function readWhole(files: SystemFiles, fds: DescriptorTable, path: string): Later<Uint8Array> {
  const fd = descriptorPath(path);
  if (fd !== undefined && fds.has(fd)) return new Input(fds.get(fd)).readAll();
  if (files.stat(path).kind !== "other") return files.readFile(path);
  const stream = files.open(path, { read: true, write: false });
  const bytes = new Input(stream).readAll();
  if (bytes instanceof Promise) return bytes.finally(() => stream.close());
  stream.close();
  return bytes;
}
