/** `-i inplace`: what is printed while a file is read takes the place of the file. */
import { concatBytes } from "../../../../../../text/bytes.ts";
import type { AwkHost, ByteReader } from "../host.ts";
import type { Output } from "./output.ts";

export class InPlace {
  #name: string | undefined;
  #parts: Uint8Array[] = [];

  /** `suffix` is that of a copy of the file as it was; none is kept without one. */
  constructor(private readonly host: AwkHost, private readonly stdout: Output, private readonly suffix: () => string) {}

  async begin(name: string): Promise<void> {
    await this.stdout.flush();
    this.#name = name;
    this.#parts = [];
    const write = (data: Uint8Array) => void this.#parts.push(data);
    this.stdout.redirect({ closed: false, write, close: () => Promise.resolve(0) });
  }

  async end(): Promise<void> {
    const name = this.#name;
    if (name === undefined) return;
    this.#name = undefined;
    await this.stdout.flush();
    this.stdout.redirect(this.host.stdout);
    const suffix = this.suffix();
    if (suffix !== "") await this.#write(name + suffix, await readAll(await this.host.openInput(name)));
    await this.#write(name, concatBytes(this.#parts));
  }

  async #write(name: string, data: Uint8Array): Promise<void> {
    const writer = await this.host.openOutput(name, false);
    await writer.write(data);
    await writer.close();
  }
}

async function readAll(reader: ByteReader): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let data = await reader.read(); data !== undefined; data = await reader.read()) parts.push(data);
  await reader.close();
  return concatBytes(parts);
}
