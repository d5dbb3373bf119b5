/** The shell's own commands; most modules are loaded when one of their commands is first called. */
import type { Command } from "../processes/command.ts";
import { cat } from "./cat.ts";
import { FILES } from "./files/index.ts";
import { head } from "./head.ts";
import { sleep } from "./sleep.ts";
import { tee } from "./tee.ts";
import { timeout } from "./timeout.ts";
import { type CommandModule, lazyCommands } from "./tool/lazy.ts";
import { yes } from "./yes.ts";

const TEXT: CommandModule[] = [
  ["awk gawk mawk nawk", () => import("./awk/command.ts")],
  ["sed", () => import("./sed/sed.ts")],
  ["grep egrep fgrep zgrep zegrep zfgrep bzgrep xzgrep zstdgrep", () => import("./grep/grep.ts")],
  ["sort", () => import("./sort/sort.ts")],
  ["tail", () => import("./lines/tail.ts")],
  ["wc", () => import("./lines/wc.ts")],
  ["tac rev", () => import("./lines/tac.ts")],
  ["nl", () => import("./lines/nl.ts")],
  ["cut", () => import("./lines/cut.ts")],
  ["paste", () => import("./lines/paste.ts")],
  ["comm", () => import("./lines/comm.ts")],
  ["uniq", () => import("./lines/uniq.ts")],
  ["join", () => import("./lines/join.ts")],
  ["tsort", () => import("./lines/tsort.ts")],
  ["look", () => import("./lines/look.ts")],
  ["tr", () => import("./lines/tr.ts")],
  ["shuf", () => import("./lines/shuf.ts")],
  ["od", () => import("./dump/od.ts")],
  ["hexdump hd", () => import("./dump/hexdump.ts")],
  ["xxd", () => import("./dump/xxd.ts")],
  ["strings", () => import("./dump/strings.ts")],
  ["diff", () => import("./compare/diff.ts")],
  ["patch", () => import("./compare/patch.ts")],
  ["cmp", () => import("./compare/cmp.ts")],
  ["iconv", () => import("./convert/iconv.ts")],
  ["uuencode uudecode", () => import("./convert/uuencode.ts")],
  ["split", () => import("./split/split.ts")],
  ["csplit", () => import("./split/csplit.ts")],
  ["column", () => import("./layout/column.ts")],
  ["fold", () => import("./layout/fold.ts")],
  ["expand unexpand", () => import("./layout/expand.ts")],
  ["fmt", () => import("./layout/fmt.ts")],
  ["pr", () => import("./layout/pr.ts")],
  ["md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum", () => import("./hash/checksums.ts")],
  ["shasum", () => import("./hash/shasum.ts")],
  ["cksum sum", () => import("./hash/cksum.ts")],
  ["base32 base64 basenc", () => import("./hash/basenc.ts")],
  ["seq", () => import("./numbers/seq.ts")],
  ["factor", () => import("./numbers/factor.ts")],
  ["numfmt", () => import("./numbers/numfmt.ts")],
  ["bc", () => import("./calculators/bc/bc.ts")],
  ["dc", () => import("./calculators/dc.ts")],
  ["ed", () => import("./ed/ed.ts")],
  ["echo printf test [ pwd which true false", () => import("./scripting/programs.ts")],
  ["expr", () => import("./scripting/expr.ts")],
  ["envsubst", () => import("./scripting/envsubst.ts")],
  ["getopt", () => import("./scripting/getopt.ts")],
];

const SYSTEM: CommandModule[] = [
  ["make gmake", () => import("./make/make.ts")],
  [
    "xz unxz xzcat lzcat unlzma bzip2 bunzip2 bzcat zstd unzstd zstdcat",
    () => import("./compression/commands.ts"),
  ],
  ["gzip gunzip zcat", () => import("./compression/gzip.ts")],
  ["date", () => import("./dates/date.ts")],
  ["cal", () => import("./dates/cal.ts")],
  ["env printenv nohup nice setsid ionice stdbuf sudo time", () => import("./system/wrappers.ts")],
  ["ps", () => import("./system/ps.ts")],
  ["pgrep pkill killall kill", () => import("./system/kill_by_name.ts")],
  ["dd", () => import("./system/dd.ts")],
  [
    "uname id groups whoami logname users who w hostname arch nproc tty sync uptime",
    () => import("./system/info.ts"),
  ],
  ["openssl", () => import("./openssl/openssl.ts")],
  ["ar", () => import("./archives/ar.ts")],
  ["cpio", () => import("./archives/cpio.ts")],
  ["zip", () => import("./archives/zip.ts")],
  ["unzip", () => import("./archives/unzip.ts")],
  ["less more pager", () => import("./terminal/pager.ts")],
  ["clear reset stty tput", () => import("./terminal/screen.ts")],
  ["getconf locale", () => import("./system/configuration.ts")],
  ["flock", () => import("./system/flock.ts")],
  ["uuidgen", () => import("./system/uuidgen.ts")],
  ["watch", () => import("./terminal/watch.ts")],
];

export async function loadCommands(): Promise<void> {
  await Promise.all([...FILES, ...TEXT, ...SYSTEM].map(([, load]) => load()));
}

export const streamingCommands: Command[] = [
  cat,
  head,
  sleep,
  tee,
  timeout,
  yes,
  ...lazyCommands([...FILES, ...TEXT, ...SYSTEM]),
];
