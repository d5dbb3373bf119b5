/** Reads an archive member by member. */
import { decodeBytes } from "../paths.ts";
import { CommandError } from "../../tool/errors.ts";
import { concatBytes } from "../../../../../../text/bytes.ts";
import { applyPax, BLOCK, decodeHeader, type Member, NO_ARCHIVE, padding } from "./header.ts";

const PIECE = 65_536;
/** Names and records of a member; longer ones are a mistake. */
const MOST_EXTRA = 1 << 20;

export class ArchiveReader {
  #buffer: Uint8Array = new Uint8Array();
  #ended = false;
  /** Bytes of the current member that nobody has read. */
  #left = 0;
  #padding = 0;
  /** Where the last member ends. */
  position = 0;
  #read = 0;

  constructor(private readonly source: AsyncGenerator<Uint8Array>) {}

  async #take(most: number): Promise<Uint8Array> {
    while (this.#buffer.length < most && !this.#ended) {
      const { value, done } = await this.source.next();
      if (done) this.#ended = true;
      else this.#buffer = this.#buffer.length === 0 ? value : concatBytes([this.#buffer, value]);
    }
    const taken = this.#buffer.subarray(0, most);
    this.#buffer = this.#buffer.subarray(taken.length);
    this.#read += taken.length;
    return taken;
  }

  /** The next member; undefined at the end. */
  async next(): Promise<Member | undefined> {
    let [name, link, pax]: [string | undefined, string | undefined, Uint8Array | undefined] = [
      undefined,
      undefined,
      undefined,
    ];
    for (;;) {
      await this.#skip();
      this.position = name === undefined && link === undefined && pax === undefined ? this.#read : this.position;
      const header = await this.#take(BLOCK);
      if (header.length === 0 && this.#read > 0) return undefined;
      if (header.length < BLOCK && this.#read < BLOCK) throw new CommandError(NO_ARCHIVE, 2);
      if (header.length < BLOCK) {
        throw new CommandError("Unexpected EOF in archive\nError is not recoverable: exiting now", 2);
      }
      const member = decodeHeader(header);
      if (!member) return undefined;
      this.#left = "0SLKxg".includes(member.type) ? member.size : 0;
      this.#padding = padding(this.#left);
      if (member.type === "L") name = await this.#text();
      else if (member.type === "K") link = await this.#text();
      else if (member.type === "x") pax = await this.#all();
      else if (member.type !== "g") {
        if (pax) applyPax(member, pax);
        if (name !== undefined) member.name = name;
        if (link !== undefined) member.link = link;
        if (member.type === "0") {
          this.#left = member.size;
          this.#padding = padding(member.size);
        }
        return member;
      }
    }
  }

  /** A piece of the current member. */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#left === 0) return undefined;
    const piece = await this.#take(Math.min(PIECE, this.#left));
    if (piece.length === 0) {
      throw new CommandError("Unexpected EOF in archive\nError is not recoverable: exiting now", 2);
    }
    this.#left -= piece.length;
    return piece;
  }

  async #skip(): Promise<void> {
    while (await this.read()) { /* not wanted */ }
    if (this.#padding > 0) await this.#take(this.#padding);
    this.#padding = 0;
  }

  async #all(): Promise<Uint8Array> {
    if (this.#left > MOST_EXTRA) throw new CommandError("a name in the archive is longer than 1 MiB", 2);
    const parts: Uint8Array[] = [];
    for (let piece = await this.read(); piece; piece = await this.read()) parts.push(piece.slice());
    return concatBytes(parts);
  }

  async #text(): Promise<string> {
    const bytes = await this.#all();
    const end = bytes.indexOf(0);
    return decodeBytes(end < 0 ? bytes : bytes.subarray(0, end));
  }

  async close(): Promise<void> {
    await this.source.return(undefined);
  }
}
