/** The logs of refs: where each has been, and why it moved. */
import { GitError } from "../options.ts";
import { personFor } from "../people.ts";
import { parsePerson, type Person, personText } from "./objects.ts";
import { parentOf } from "./paths.ts";
import type { Repo } from "./repository.ts";

export const NOTHING = "0".repeat(40);

export interface LogEntry {
  old: string;
  oid: string;
  who: Person;
  message: string;
}

const LOGGED = /^(?:HEAD|refs\/(?:heads|remotes|notes)\/.*)$/;

export class Reflog {
  constructor(private readonly repo: Repo) {}

  path(ref: string): string {
    return `${this.repo.folderOf(ref)}/logs/${ref}`;
  }

  /** Adds a line to a ref's log, if it has one or should. */
  async add(ref: string, old: string | undefined, oid: string, message: string): Promise<void> {
    const { fs } = this.repo.call.ctx;
    const path = this.path(ref);
    const exists = await fs.exists(path);
    if (!exists && !this.#wanted(ref)) return;
    await fs.mkdir(parentOf(path), { recursive: true });
    const text = message.replace(/\s+/g, " ").trim();
    const line = `${old ?? NOTHING} ${oid} ${personText(this.#who())}${text === "" ? "" : `\t${text}`}\n`;
    await fs.appendFile(path, line);
  }

  #wanted(ref: string): boolean {
    const setting = this.repo.config.get("core.logallrefupdates")?.toLowerCase();
    if (setting === "always") return ref === "HEAD" || ref.startsWith("refs/");
    const enabled = setting === undefined
      ? this.repo.root !== undefined
      : this.repo.config.flag("core.logallrefupdates") === true;
    return enabled && LOGGED.test(ref);
  }

  /** Moving a ref must not fail for want of a name. */
  #who(): Person {
    const { call, config } = this.repo;
    try {
      return personFor(call, config, "COMMITTER");
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      return { name: "user", email: "user@sandbox.(none)", time: Math.floor(Date.now() / 1000), zone: "+0000" };
    }
  }

  /** The entries, the latest first. */
  async read(ref: string): Promise<LogEntry[]> {
    const text = await this.repo.call.text(this.path(ref)) ?? "";
    return text.split("\n").filter(Boolean).map(parseEntry).reverse();
  }

  /** Writes entries, the latest first, in the place of those that were there. */
  async write(ref: string, entries: LogEntry[]): Promise<void> {
    const { fs } = this.repo.call.ctx;
    const lines = entries.toReversed().map(({ old, oid, who, message }) =>
      `${old} ${oid} ${personText(who)}${message === "" ? "" : `\t${message}`}\n`
    );
    await fs.mkdir(parentOf(this.path(ref)), { recursive: true });
    await fs.writeFile(this.path(ref), lines.join(""));
  }

  async exists(ref: string): Promise<boolean> {
    return (await this.repo.call.text(this.path(ref))) !== undefined;
  }

  async remove(ref: string): Promise<void> {
    await this.repo.call.ctx.fs.rm(this.path(ref), { force: true });
  }

  async rename(from: string, to: string): Promise<void> {
    const text = await this.repo.call.text(this.path(from));
    if (text === undefined) return;
    await this.remove(from);
    await this.repo.call.ctx.fs.mkdir(parentOf(this.path(to)), { recursive: true });
    await this.repo.call.ctx.fs.writeFile(this.path(to), text);
  }

  /** The branch or commit that HEAD was on `count` switches ago. */
  async previous(count: number): Promise<string | undefined> {
    const moves = (await this.read("HEAD")).flatMap(({ message }) => {
      const from = message.match(/^checkout: moving from (\S+) to /)?.[1];
      return from === undefined ? [] : [from];
    });
    return moves[count - 1];
  }
}

function parseEntry(line: string): LogEntry {
  const [head, ...message] = line.split("\t");
  return {
    old: head.slice(0, 40),
    oid: head.slice(41, 81),
    who: parsePerson(head.slice(82)),
    message: message.join("\t"),
  };
}
