/** patch: applies unified diffs, and those without context. */
import { decodeText, encodeText, fromArray, toArray } from "../../../text/byte_strings.ts";
import { parseNormal } from "../../../text/diff/normal_format.ts";
import {
  applyHunks,
  type FilePatch,
  type Hunk,
  parsePatch,
  type Placed,
  reversePatch,
} from "../../../text/diff/patch_format.ts";
import type { SystemFiles } from "../../processes/system_files.ts";
import { quote } from "../files/paths.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import { CHARACTERS } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";

const USAGE = {
  letters: "p:i:Rd:F:Nftsbo:r:Eulz:B:",
  long: {
    "strip=": "p",
    "input=": "i",
    reverse: "R",
    "dry-run": "dry",
    "directory=": "d",
    "fuzz=": "F",
    forward: "N",
    force: "f",
    batch: "t",
    silent: "s",
    quiet: "s",
    backup: "b",
    "output=": "o",
    "reject-file=": "r",
    "remove-empty-files": "E",
    unified: "u",
    verbose: "verbose",
    "suffix=": "z",
    "prefix=": "B",
    "no-backup-if-mismatch": "no-mismatch",
    binary: "binary",
    "ignore-whitespace": "l",
  },
  code: 2,
  synopsis: "[OPTION]... [ORIGFILE [PATCHFILE]]",
};

const patch = defineTool("patch", USAGE, async (tool) => {
  const { given, context } = tool;
  tool.out.coding = CHARACTERS;
  const [original, patchfile, extra] = tool.operands;
  if (extra !== undefined) throw new CommandError(`${extra}: extra operand`, 2);
  const folder = context.files.resolve(context.cwd, given.get("d") ?? ".");
  const source = given.get("i") ?? patchfile ?? "-";
  const bytes = await tool.readFile(
    source === "-" || source.startsWith("/") ? source : context.files.resolve(folder, source),
  );
  const text = decodeText(fromArray(bytes));
  const unified = parsePatch(text);
  const files = unified.length > 0 ? unified : [parseNormal(text)].filter((file) => file !== undefined);
  if (files.length === 0 && bytes.length > 0) {
    throw new CommandError("**** Only garbage was found in the patch input.", 2);
  }
  const job = new Job(tool, folder, original);
  for (const file of files) {
    await tool.attend();
    job.apply(given.has("R") ? reversePatch(file) : file);
  }
  return job.failed ? 1 : 0;
});

class Job {
  failed = false;
  readonly #files: SystemFiles;

  constructor(
    private readonly tool: Tool,
    private readonly folder: string,
    private readonly original: string | undefined,
  ) {
    this.#files = tool.context.files;
  }

  #path(name: string): string {
    return this.#files.resolve(this.folder, name);
  }

  apply(file: FilePatch): void {
    const name = this.#nameOf(file);
    if (name === undefined) {
      this.failed = true;
      this.tool.print(`can't find file to patch at input: ${file.oldName}\nNo file to patch.  Skipping patch.\n`);
      return;
    }
    const creates = file.oldName === "/dev/null";
    const content = this.#read(name);
    const { given } = this.tool;
    const output = given.get("o");
    if (!given.has("s")) {
      const shown = output === undefined ? quoteOdd(name) : `${quoteOdd(output)} (read from ${quoteOdd(name)})`;
      this.tool.print(`${given.has("dry") ? "checking" : "patching"} file ${shown}\n`);
    }
    const lines = (content ?? "").split("\n");
    if (creates && (content ?? "") !== "") return this.#reject(name, file, file.hunks, "exists");
    const placed = applyHunks(lines, file.hunks, this.#fuzz(), given.has("l"));
    const rejected = placed.filter(({ line }) => line === undefined).map(({ hunk }) => hunk);
    if (placed[0]?.line === undefined && rejected.length > 0 && !given.has("f") && this.#isApplied(content, file)) {
      if (!given.has("t")) return this.#reject(name, file, file.hunks, "applied");
      this.tool.print("Reversed (or previously applied) patch detected!  Assuming -R.\n");
      const before = (content ?? "").split("\n");
      applyHunks(before, reversePatch(file).hunks, this.#fuzz(), given.has("l"));
      return this.#write(name, reversePatch(file), before.join("\n"), content);
    }
    this.#tell(placed);
    if (placed.some(({ line, offset, fuzz }) => line === undefined || offset !== 0 || fuzz > 0)) {
      this.#backUpMismatch(name, content);
    }
    if (rejected.length > 0) this.#reject(name, file, rejected, "");
    if (rejected.length < placed.length || file.renames) this.#write(name, file, lines.join("\n"), content);
  }

  #nameOf(file: FilePatch): string | undefined {
    if (this.original !== undefined) return this.original;
    const strip = this.tool.given.get("p");
    const cut = (name: string) => {
      if (name === "/dev/null") return undefined;
      const parts = name.split("/").filter((part, i) => part !== "" || i === 0);
      return strip === undefined ? parts.at(-1) : parts.slice(Number(strip)).join("/") || undefined;
    };
    const whole = (name: string) => strip === undefined && name !== "/dev/null" ? [name, cut(name)] : [cut(name)];
    const candidates = [...whole(file.oldName), ...whole(file.newName)].filter((name) => name !== undefined);
    const existing: string[] = [];
    for (const name of candidates) if (this.#files.exists(this.#path(name))) existing.push(name);
    const rank = (name: string) => [name.split("/").length, name.split("/").at(-1)?.length ?? 0, name.length];
    const [best] = existing.sort((a, b) =>
      rank(a).map((value, i) => value - rank(b)[i]).find((value) => value !== 0) ?? 0
    );
    if (best !== undefined) return best;
    return file.oldName === "/dev/null" || file.hunks[0]?.oldStart === 0 ? cut(file.newName) : undefined;
  }

  #read(name: string): string | undefined {
    if (!this.#files.exists(this.#path(name))) return undefined;
    return decodeText(fromArray(this.#files.readFile(this.#path(name))));
  }

  #tell(placed: Placed[]): void {
    placed.forEach(({ line, offset, fuzz }, i) => {
      if (line === undefined || (offset === 0 && fuzz === 0) || this.tool.given.has("s")) return;
      const parts = [
        fuzz > 0 ? ` with fuzz ${fuzz}` : "",
        offset !== 0 ? ` (offset ${offset} line${Math.abs(offset) === 1 ? "" : "s"})` : "",
      ];
      this.tool.print(`Hunk #${i + 1} succeeded at ${line}${parts.join("")}.\n`);
    });
  }

  #isApplied(content: string | undefined, file: FilePatch): boolean {
    const lines = (content ?? "").split("\n");
    return applyHunks(lines, reversePatch(file).hunks, 0).every(({ line }) => line !== undefined);
  }

  #reject(name: string, file: FilePatch, hunks: Hunk[], reason: string): void {
    this.failed = true;
    const asks = this.tool.given.has("N") ? "" : "Assume -R? [n] \nApply anyway? [n] \n";
    if (reason === "applied") {
      this.tool.print(`Reversed (or previously applied) patch detected!  ${asks}Skipping patch.\n`);
    }
    if (reason === "exists") {
      this.tool.print(`The next patch would create the file ${name},\nwhich already exists!  Skipping patch.\n`);
    }
    for (const hunk of reason === "" ? hunks : []) {
      this.tool.print(`Hunk #${file.hunks.indexOf(hunk) + 1} FAILED at ${hunk.oldStart}.\n`);
    }
    const all = file.hunks.length;
    const verb = reason === "" ? "FAILED" : "ignored";
    this.tool.print(`${hunks.length} out of ${all} hunk${all === 1 ? "" : "s"} ${verb}`);
    if (this.tool.given.has("dry")) {
      this.tool.print("\n");
      return;
    }
    const target = this.tool.given.get("r") ?? `${this.tool.given.get("o") ?? name}.rej`;
    this.tool.print(` -- saving rejects to file ${target}\n`);
    if (target !== "-") {
      this.#put(target, `--- ${file.oldName}\n+++ ${file.newName}\n${hunks.map(renderReject).join("")}`);
    }
  }

  #write(name: string, file: FilePatch, text: string, before: string | undefined): void {
    if (this.tool.given.has("dry")) return;
    if (this.tool.given.has("b") && before !== undefined) this.#put(this.#backupName(name), before);
    const output = this.tool.given.get("o");
    if (output !== undefined) return this.#save(this.tool.context.files.resolve(this.tool.context.cwd, output), text);
    const deleted = file.newName === "/dev/null" || this.tool.given.has("E");
    if (deleted && text === "") return this.#files.removeFile(this.#path(name));
    const strip = Number(this.tool.given.get("p") ?? 0);
    const target = file.renames ? file.newName.split("/").slice(strip).join("/") : name;
    this.#put(target, text);
    if (target !== name) this.#files.removeFile(this.#path(name));
  }

  /** A file that the patch was not made for is kept, unless it is kept anyway. */
  #backUpMismatch(name: string, before: string | undefined): void {
    const { given } = this.tool;
    if (before === undefined || ["no-mismatch", "b", "dry", "o"].some((option) => given.has(option))) return;
    this.#put(this.#backupName(name), before);
  }

  #backupName(name: string): string {
    const { given } = this.tool;
    const slash = name.lastIndexOf("/") + 1;
    return (given.get("B") ?? "") + name.slice(0, slash) + name.slice(slash) +
      (given.get("z") ?? (given.has("B") ? "" : ".orig"));
  }

  #fuzz(): number {
    const word = this.tool.given.get("F") ?? "2";
    if (!/^\d+$/.test(word)) throw new CommandError(`**** fuzz factor ${word} is not a number`, 2);
    return Number(word);
  }

  #put(name: string, text: string): void {
    const path = this.#path(name);
    const parts = path.split("/").slice(1, -1);
    parts.forEach((_, i) => {
      const folder = `/${parts.slice(0, i + 1).join("/")}`;
      if (!this.#files.exists(folder)) this.#files.makeDirectory(folder, 0o777 & ~this.tool.context.umask);
    });
    this.#save(path, text);
  }

  #save(path: string, text: string): void {
    const flags = { read: false, write: true, create: true, truncate: true };
    const file = this.#files.open(path, flags, 0o666 & ~this.tool.context.umask);
    try {
      file.write(toArray(encodeText(text)));
    } finally {
      file.close();
    }
  }
}

/** A name in quotes if a shell would need them. */
function quoteOdd(name: string): string {
  return /[^\w@%+=:,./-]/.test(name) ? quote(name) : name;
}

function renderReject(hunk: Hunk): string {
  const olds = hunk.lines.filter((line) => line[0] !== "+").length;
  const news = hunk.lines.filter((line) => line[0] !== "-").length;
  return `@@ -${hunk.oldStart},${olds} +${hunk.newStart},${news} @@\n${hunk.lines.join("\n")}\n`;
}

export const commands = [patch];
