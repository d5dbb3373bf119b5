/** Commands that handle files. */
import type { Command } from "../../processes/command.ts";
import { chgrp, chmod, chown } from "./chmod.ts";
import { cp } from "./cp.ts";
import { du } from "./du.ts";
import { file } from "./file/file.ts";
import { find } from "./find/find.ts";
import { install } from "./install.ts";
import { link, ln } from "./ln.ts";
import { ls } from "./ls/ls.ts";
import { mkdir, mktemp } from "./mkdir.ts";
import { mkfifo, mknod } from "./mkfifo.ts";
import { mv } from "./mv.ts";
import { basename, dirname, pathchk } from "./names.ts";
import { readlink, realpath } from "./realpath.ts";
import { rm, rmdir, unlink } from "./rm.ts";
import { rsync } from "./rsync/rsync.ts";
import { stat } from "./stat.ts";
import { tar } from "./tar/tar.ts";
import { touch, truncate } from "./touch.ts";
import { tree } from "./tree.ts";
import { xargs } from "./xargs/xargs.ts";

export const fileCommands: Command[] = [
  ...[basename, chgrp, chmod, chown, cp, dirname, du, file, find, install, link, ln, ls, mkdir, mkfifo],
  ...[
    mknod,
    mktemp,
    mv,
    pathchk,
    readlink,
    realpath,
    rm,
    rmdir,
    rsync,
    stat,
    tar,
    touch,
    tree,
    truncate,
    unlink,
    xargs,
  ],
];
