/** rsync between folders of the sandbox. */
import { defineFileTool, type FileTool } from "../file_tool.ts";
import { CommandError } from "../../tool/errors.ts";
import { Synchronizer } from "./synchronize.ts";

const GRAMMAR = {
  letters: "avqcrRlLkHpEogDtOnuWxzhiPbCSIsm0f:e:B:",
  long: {
    archive: "a",
    verbose: "v",
    quiet: "q",
    checksum: "c",
    recursive: "r",
    relative: "R",
    links: "l",
    "copy-links": "L",
    "hard-links": "H",
    perms: "p",
    executability: "E",
    owner: "o",
    group: "g",
    devices: "D",
    specials: "D",
    times: "t",
    "omit-dir-times": "O",
    "dry-run": "n",
    update: "u",
    "whole-file": "W",
    "no-whole-file": "no-whole-file",
    "one-file-system": "x",
    compress: "z",
    "human-readable": "h",
    "itemize-changes": "i",
    progress: "P",
    partial: "P",
    stats: "stats",
    delete: "delete",
    "delete-before": "delete",
    "delete-during": "delete",
    "delete-after": "delete",
    "delete-delay": "delete",
    del: "delete",
    "delete-excluded": "delete-excluded",
    "exclude=": "exclude",
    "include=": "include",
    "exclude-from=": "exclude-from",
    "include-from=": "include-from",
    "filter=": "f",
    "cvs-exclude": "C",
    existing: "existing",
    "ignore-existing": "ignore-existing",
    "size-only": "size-only",
    "ignore-times": "I",
    "remove-source-files": "remove-source-files",
    "prune-empty-dirs": "m",
    mkpath: "mkpath",
    "no-perms": "no-perms",
    "no-times": "no-times",
    "no-owner": "no-owner",
    "no-group": "no-group",
    "no-links": "no-links",
    "no-o": "no-owner",
    "no-g": "no-group",
    "no-p": "no-perms",
    "no-t": "no-times",
    "rsh=": "e",
    "info=": "info",
    "max-size=": "max-size",
    "min-size=": "min-size",
    "numeric-ids": "numeric-ids",
    inplace: "inplace",
    dirs: "dirs",
  },
  synopsis: "[OPTION]... SRC [SRC]... DEST",
};
const UNSUPPORTED = ["b", "R", "m", "max-size", "min-size", "k", "s", "dirs"];
/** Nothing is sent but the files; this stands for the list of them. */
const LIST_BYTES = 64;
/** Exit codes of rsync. */
const [SYNTAX, PARTIAL, PROTOCOL] = [1, 23, 5];

export const rsync = defineFileTool("rsync", GRAMMAR, async (tool) => {
  const { given, operands } = tool;
  const refused = UNSUPPORTED.find((key) => given.has(key));
  if (refused !== undefined) {
    throw new CommandError(`${refused.length > 1 ? "--" : "-"}${refused}: this option is not supported`, SYNTAX);
  }
  const remote = operands.find((name) => /^[^/]+:|^rsync:\/\//.test(name));
  if (remote !== undefined) {
    throw new CommandError(`${remote}: the sandbox reaches no other machine; only folders can be copied`, PROTOCOL);
  }
  if (operands.length < 2) throw new CommandError("a source and a destination are needed", SYNTAX);
  const sources = operands.slice(0, -1);
  const target = operands[operands.length - 1];
  const work = new Synchronizer(tool);
  const talks = given.has("v") && !given.has("q");
  if (talks) tool.print("sending incremental file list\n");
  const inside = prepareTarget(tool, sources, target, work);
  await work.run(sources, target, inside);
  if (talks || given.has("stats")) tool.print(summary(tool, work));
  if (!work.failed) return 0;
  tool.say(
    "rsync error: some files/attrs were not transferred (see previous errors) (code 23) at main.c(1338) [sender=3.2.7]",
  );
  return PARTIAL;
});

/** Whether files go into the target as a folder; makes it if it is not there. */
function prepareTarget(tool: FileTool, sources: string[], target: string, work: Synchronizer): boolean {
  const found = tool.findStat(target);
  if (found) {
    if (found.kind !== "directory" && (sources.length > 1 || tool.isFolder(sources[0]))) {
      throw new CommandError(`ERROR: destination must be a directory when copying more than 1 file`, 3);
    }
    return found.kind === "directory";
  }
  const isFile = sources.length === 1 && tool.findStat(sources[0])?.kind === "file" && !target.endsWith("/");
  if (!isFile) work.makeTarget(target);
  return !isFile;
}

function summary(tool: FileTool, { sent, total }: Synchronizer): string {
  const number = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
  const dry = tool.given.has("n") ? " (DRY RUN)" : "";
  const all = sent + LIST_BYTES;
  return `\nsent ${number(all)} bytes  received ${LIST_BYTES} bytes  ${number((all + LIST_BYTES) * 2)}.00 bytes/sec\n` +
    `total size is ${number(total)}  speedup is ${(total / (all + LIST_BYTES)).toFixed(2)}${dry}\n`;
}
