/** patch: applies unified diffs. */
import { encodeText, toArray } from "../../text/byte_strings.ts";
import {
  bytesResult,
  CommandError,
  type Context,
  defineCommand,
  type Options,
  pathOf,
  readOptions,
  readText,
} from "../command.ts";
import { applyHunks, type FilePatch, type Hunk, parsePatch, type Placed, reversePatch } from "./patch_format.ts";

const LONG = {
  strip: "p",
  input: "i",
  reverse: "R",
  "dry-run": "1",
  directory: "d",
  fuzz: "F",
  forward: "N",
  force: "f",
  batch: "t",
  silent: "s",
  quiet: "s",
  backup: "b",
  output: "o",
  "reject-file": "r",
  "remove-empty-files": "E",
  unified: "u",
  verbose: "2",
  "no-backup-if-mismatch": "3",
  binary: "4",
  "ignore-whitespace": "l",
};

const patch = defineCommand("patch", async (args, given) => {
  const set = readOptions(args, "p:i:Rd:F:Nftsbo:r:Eul1234", LONG);
  const [original, patchfile] = set.rest;
  const ctx = set.has("d") ? { ...given, cwd: pathOf(given, set.get("d") ?? "") } as Context : given;
  const source = set.get("i") ?? patchfile;
  const text = await readText(given, source);
  const files = parsePatch(text);
  if (files.length === 0) {
    throw new CommandError("**** Only garbage was found in the patch input.", 2);
  }
  const job = new Job(ctx, given, set, original);
  for (const file of files) await job.apply(set.has("R") ? reversePatch(file) : file);
  return bytesResult(encodeText(job.report), job.failed ? 1 : 0);
});

class Job {
  report = "";
  failed = false;

  constructor(
    private readonly place: Context,
    private readonly ctx: Context,
    private readonly set: Options,
    private readonly original: string | undefined,
  ) {}

  async apply(file: FilePatch): Promise<void> {
    const name = await this.#nameOf(file);
    if (name === undefined) {
      this.failed = true;
      this.report += `can't find file to patch at input: ${file.oldName}\nNo file to patch.  Skipping patch.\n`;
      return;
    }
    const creates = file.oldName === "/dev/null";
    const content = await this.#read(name);
    if (!this.set.has("s")) this.report += `${this.set.has("1") ? "checking" : "patching"} file ${name}\n`;
    const lines = (content ?? "").split("\n");
    if (creates && (content ?? "") !== "") return await this.#reject(name, file, file.hunks, "exists");
    const placed = applyHunks(lines, file.hunks, this.set.number("F", 2));
    const rejected = placed.filter(({ line }) => line === undefined).map(({ hunk }) => hunk);
    this.#tell(placed);
    if (rejected.length > 0) await this.#reject(name, file, rejected, this.#reason(content, file));
    if (rejected.length < placed.length || file.renames) await this.#write(name, file, lines.join("\n"), content);
  }

  async #nameOf(file: FilePatch): Promise<string | undefined> {
    if (this.original !== undefined) return this.original;
    const strip = this.set.get("p");
    const cut = (name: string) => {
      if (name === "/dev/null") return undefined;
      const parts = name.split("/").filter((part, i) => part !== "" || i === 0);
      return strip === undefined ? parts.at(-1) : parts.slice(Number(strip)).join("/") || undefined;
    };
    const whole = (name: string) => strip === undefined && name !== "/dev/null" ? [name, cut(name)] : [cut(name)];
    const candidates = [...whole(file.oldName), ...whole(file.newName)].filter((name) => name !== undefined);
    const existing: string[] = [];
    for (const name of candidates) if (await this.place.fs.exists(pathOf(this.place, name))) existing.push(name);
    const rank = (name: string) => [name.split("/").length, name.split("/").at(-1)?.length ?? 0, name.length];
    const [best] = existing.sort((a, b) =>
      rank(a).map((value, i) => value - rank(b)[i]).find((value) => value !== 0) ?? 0
    );
    if (best !== undefined) return best;
    return file.oldName === "/dev/null" ? cut(file.newName) : undefined;
  }

  async #read(name: string): Promise<string | undefined> {
    if (!await this.place.fs.exists(pathOf(this.place, name))) return undefined;
    return await readText(this.place, name);
  }

  #tell(placed: Placed[]): void {
    placed.forEach(({ line, offset, fuzz }, i) => {
      if (line === undefined || (offset === 0 && fuzz === 0) || this.set.has("s")) return;
      const parts = [
        fuzz > 0 ? ` with fuzz ${fuzz}` : "",
        offset !== 0 ? ` (offset ${offset} line${Math.abs(offset) === 1 ? "" : "s"})` : "",
      ];
      this.report += `Hunk #${i + 1} succeeded at ${line}${parts.join("")}.\n`;
    });
  }

  #reason(content: string | undefined, file: FilePatch): string {
    const lines = (content ?? "").split("\n");
    return applyHunks(lines, reversePatch(file).hunks, 0).every(({ line }) => line !== undefined) ? "applied" : "";
  }

  async #reject(name: string, file: FilePatch, hunks: Hunk[], reason: string): Promise<void> {
    this.failed = true;
    if (reason === "applied") this.report += "Reversed (or previously applied) patch detected!  Skipping patch.\n";
    if (reason === "exists") {
      this.report += `The next patch would create the file ${name},\nwhich already exists!  Skipping patch.\n`;
    }
    for (const hunk of hunks) {
      this.report += `Hunk #${file.hunks.indexOf(hunk) + 1} ${
        reason === "" ? "FAILED" : "ignored"
      } at ${hunk.oldStart}.\n`;
    }
    const all = file.hunks.length;
    const verb = reason === "" ? "FAILED" : "ignored";
    this.report += `${hunks.length} out of ${all} hunk${all === 1 ? "" : "s"} ${verb}`;
    if (this.set.has("1")) {
      this.report += "\n";
      return;
    }
    const target = this.set.get("r") ?? `${name}.rej`;
    this.report += ` -- saving rejects to file ${target}\n`;
    if (target !== "-") {
      await this.#put(target, `--- ${file.oldName}\n+++ ${file.newName}\n${hunks.map(renderReject).join("")}`);
    }
  }

  async #write(name: string, file: FilePatch, text: string, before: string | undefined): Promise<void> {
    if (this.set.has("1")) return;
    if (this.set.has("b") && before !== undefined) await this.#put(`${name}.orig`, before);
    const output = this.set.get("o");
    if (output !== undefined) return await this.ctx.fs.writeFile(pathOf(this.ctx, output), toArray(encodeText(text)));
    const deleted = file.newName === "/dev/null" || this.set.has("E");
    if (deleted && text === "") return await this.place.fs.rm(pathOf(this.place, name));
    const strip = Number(this.set.get("p") ?? 0);
    const target = file.renames ? file.newName.split("/").slice(strip).join("/") : name;
    await this.#put(target, text);
    if (target !== name) await this.place.fs.rm(pathOf(this.place, name));
  }

  async #put(name: string, text: string): Promise<void> {
    const path = pathOf(this.place, name);
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (folder !== "") await this.place.fs.mkdir(folder, { recursive: true });
    await this.place.fs.writeFile(path, toArray(encodeText(text)));
  }
}

function renderReject(hunk: Hunk): string {
  const olds = hunk.lines.filter((line) => line[0] !== "+").length;
  const news = hunk.lines.filter((line) => line[0] !== "-").length;
  return `@@ -${hunk.oldStart},${olds} +${hunk.newStart},${news} @@\n${hunk.lines.join("\n")}\n`;
}

export const commands = [patch];
