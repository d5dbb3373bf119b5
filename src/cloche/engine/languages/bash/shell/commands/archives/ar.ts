/** ar: archives of a library's kind, as GNU's without an index. */
import { FileError } from "../../../../../fs/files.ts";
import { CommandError } from "../tool/errors.ts";
import { complain, print } from "../tool/tool.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import type { Command, CommandContext } from "../../processes/command.ts";

const MAGIC = "!<arch>\n";
const HEADER = 60;

interface Member {
  name: string;
  time: number;
  mode: number;
  data: Uint8Array;
}

const latin = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");

function readArchive(bytes: Uint8Array, name: string): Member[] {
  if (latin(bytes.subarray(0, 8)) !== MAGIC) throw new CommandError(`${name}: file format not recognized`);
  const members: Member[] = [];
  let names = "";
  for (let at = 8; at + HEADER <= bytes.length;) {
    const field = (from: number, to: number) => latin(bytes.subarray(at + from, at + to)).trimEnd();
    const size = Number(field(48, 58));
    if (field(58, 60) !== "`" && latin(bytes.subarray(at + 58, at + 60)) !== "`\n") {
      throw new CommandError(`${name}: malformed archive`);
    }
    const data = bytes.slice(at + HEADER, at + HEADER + size);
    const title = field(0, 16);
    if (title === "//") names = latin(data);
    else if (title !== "/" && title !== "/SYM64/") {
      members.push({
        name: memberName(title, names),
        time: Number(field(16, 28)),
        mode: parseInt(field(40, 48), 8) || 0o644,
        data,
      });
    }
    at += HEADER + size + size % 2;
  }
  return members;
}

function memberName(title: string, names: string): string {
  const [, offset] = /^\/(\d+)$/.exec(title) ?? [];
  if (offset === undefined) return title.replace(/\/$/, "");
  const from = Number(offset);
  return names.slice(from, names.indexOf("/\n", from));
}

function writeArchive(members: Member[]): Uint8Array {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [encoder.encode(MAGIC)];
  let names = "";
  const titles = members.map(({ name }) => {
    if (encoder.encode(name).length <= 15) return `${name}/`;
    const title = `/${encoder.encode(names).length}`;
    names += `${name}/\n`;
    return title;
  });
  const add = (header: string, data: Uint8Array) => {
    parts.push(encoder.encode(header), data);
    if (data.length % 2) parts.push(Uint8Array.of(10));
  };
  if (names !== "") {
    if (encoder.encode(names).length % 2) names += "\n";
    const data = encoder.encode(names);
    add(`${"//".padEnd(48)}${String(data.length).padEnd(10)}\`\n`, data);
  }
  members.forEach(({ mode, data }, i) => {
    const fields = [titles[i].padEnd(16), "0".padEnd(12), "0".padEnd(6), "0".padEnd(6)];
    fields.push((mode & 0o777).toString(8).padEnd(8), String(data.length).padEnd(10), "`\n");
    add(fields.join(""), data);
  });
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function describeMode(mode: number): string {
  return [..."rwxrwxrwx"].map((letter, i) => mode & (0o400 >> i) ? letter : "-").join("");
}

function describe({ name, time, mode, data }: Member): string {
  // "Thu, 01 Jan 1970 00:00:00 GMT"
  const [, day, month, year, clock] = new Date(time * 1000).toUTCString().split(" ");
  const date = `${month} ${day.replace(/^0/, " ")} ${clock.slice(0, 5)} ${year}`;
  return `${describeMode(mode)} 0/0 ${String(data.length).padStart(6)} ${date} ${name}\n`;
}

class ArRun {
  readonly #path: string;
  #members: Member[] = [];
  #changed = false;

  constructor(
    private readonly context: CommandContext,
    private readonly letters: string,
    private readonly archive: string,
    private readonly names: string[],
  ) {
    this.#path = context.files.resolve(context.cwd, archive);
  }

  async run(): Promise<number> {
    const operation = [..."rqtxpdms"].find((letter) => this.letters.includes(letter));
    const exists = this.context.files.exists(this.#path);
    if (!exists && operation !== "r" && operation !== "q") {
      throw new CommandError(`${this.archive}: No such file or directory`, 9);
    }
    if (exists) this.#members = readArchive(this.context.files.readFile(this.#path), this.archive);
    else if (!this.letters.includes("c")) complain(this.context, `ar: creating ${this.archive}`);
    this.#changed = !exists;
    const code = operation === "r" || operation === "q"
      ? await this.#insert(operation)
      : operation === "d"
      ? await this.#delete()
      : operation === "m" || operation === "s"
      ? this.#move(operation)
      : await this.#show(operation ?? "t");
    if (this.#changed) this.#write(this.#path, writeArchive(this.#members), 0o666 & ~this.context.umask);
    return code;
  }

  #write(path: string, data: Uint8Array, mode: number): void {
    const file = this.context.files.open(path, { read: false, write: true, create: true, truncate: true }, mode);
    file.write(data);
    file.close();
  }

  async #insert(operation: string): Promise<number> {
    for (const word of this.names) {
      const path = this.context.files.resolve(this.context.cwd, word);
      const name = word.split("/").at(-1) ?? word;
      let stat;
      try {
        stat = this.context.files.stat(path);
      } catch (error) {
        throw new CommandError(`${word}: ${reasonOf(error)}`);
      }
      const member = { name, time: 0, mode: stat.mode, data: this.context.files.readFile(path) };
      const at = operation === "r" ? this.#members.findIndex((one) => one.name === name) : -1;
      if (at >= 0) this.#members[at] = member;
      else this.#members.push(member);
      if (this.letters.includes("v")) await print(this.context, `${at >= 0 ? "r" : "a"} - ${word}\n`);
      this.#changed = true;
    }
    return 0;
  }

  async #delete(): Promise<number> {
    for (const name of this.names) {
      const at = this.#members.findIndex((one) => one.name === name);
      if (at < 0) {
        if (this.letters.includes("v")) await print(this.context, `No member named \`${name}'\n`);
        continue;
      }
      this.#members.splice(at, 1);
      if (this.letters.includes("v")) await print(this.context, `d - ${name}\n`);
      this.#changed = true;
    }
    return 0;
  }

  #move(operation: string): number {
    if (operation === "s") return 0;
    const moved = this.#members.filter(({ name }) => this.names.includes(name));
    this.#members = [...this.#members.filter((one) => !moved.includes(one)), ...moved];
    this.#changed = true;
    return 0;
  }

  async #show(operation: string): Promise<number> {
    const verbose = this.letters.includes("v");
    const wanted = this.names.length === 0 ? this.#members : this.names.flatMap((name) => {
      const found = this.#members.filter((one) => one.name === name);
      if (found.length === 0) complain(this.context, `no entry ${name} in archive`);
      return found;
    });
    for (const member of wanted) {
      if (operation === "t") await print(this.context, verbose ? describe(member) : `${member.name}\n`);
      else if (operation === "p") {
        if (verbose) await print(this.context, `\n<${member.name}>\n\n`);
        await this.context.fds.get(1).write(member.data);
      } else {
        if (verbose) await print(this.context, `x - ${member.name}\n`);
        // A name with a folder in it stays in this one.
        const path = this.context.files.resolve(this.context.cwd, member.name.split("/").at(-1) ?? "");
        this.#write(path, member.data, member.mode & 0o777);
      }
    }
    return 0;
  }
}

export const ar: Command = {
  name: "ar",
  async run(context) {
    const [, first, archive, ...names] = context.argv;
    const letters = (first ?? "").replace(/^-/, "");
    const operations = [..."rqtxpdm"].filter((letter) => letters.includes(letter));
    try {
      if (first === "--version") return await print(context, "GNU ar (GNU Binutils) 2.40\n");
      const unknown = [...letters].find((letter) => !"rqtxpdmscuvDSoUl".includes(letter));
      if (unknown !== undefined) throw new CommandError(`invalid option -- '${unknown}'`);
      if (operations.length > 1) throw new CommandError("two different operation options specified");
      if (operations.length === 0 && !letters.includes("s")) throw new CommandError("no operation specified");
      if (archive === undefined) throw new CommandError("an archive is needed: ar rcs ARCHIVE FILE...");
      return await new ArRun(context, letters, archive, names).run();
    } catch (error) {
      if (!(error instanceof CommandError) && !(error instanceof FileError)) throw error;
      complain(context, `ar: ${error instanceof CommandError ? error.message : reasonOf(error)}`);
      return error instanceof CommandError ? error.code : 1;
    }
  },
};
