/** Commands that handle files. */
import type { CommandModule } from "../tool/lazy.ts";

export const FILES: CommandModule[] = [
  ["ls dir vdir", () => import("./ls/ls.ts")],
  ["cp", () => import("./cp.ts")],
  ["mv", () => import("./mv.ts")],
  ["rm rmdir unlink", () => import("./rm.ts")],
  ["mkdir mktemp", () => import("./mkdir.ts")],
  ["ln link", () => import("./ln.ts")],
  ["chmod chown chgrp", () => import("./chmod.ts")],
  ["shred fallocate", () => import("./shred.ts")],
  ["touch truncate", () => import("./touch.ts")],
  ["install", () => import("./install.ts")],
  ["mkfifo mknod", () => import("./mkfifo.ts")],
  ["basename dirname pathchk", () => import("./names.ts")],
  ["readlink realpath", () => import("./realpath.ts")],
  ["stat", () => import("./stat.ts")],
  ["file", () => import("./file/file.ts")],
  ["find", () => import("./find/find.ts")],
  ["xargs", () => import("./xargs/xargs.ts")],
  ["du", () => import("./du.ts")],
  ["tree", () => import("./tree.ts")],
  ["tar", () => import("./tar/tar.ts")],
  ["rsync", () => import("./rsync/rsync.ts")],
];
