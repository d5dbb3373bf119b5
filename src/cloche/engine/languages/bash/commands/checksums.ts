/** cksum, sum, sha384sum, sha512sum: the checksums that just-bash lacks. */
import { toArray } from "../text/byte_strings.ts";
import {
  bytesResult,
  CommandError,
  defineCommand,
  linesOf,
  readInput,
  readOptions,
  readText,
  textResult,
} from "./command.ts";

const CKSUM = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n << 24;
  for (let k = 0; k < 8; k++) value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1;
  return value >>> 0;
});

function posixCrc(data: Uint8Array): number {
  let crc = 0;
  const add = (byte: number) => crc = (crc << 8) ^ CKSUM[(crc >>> 24) ^ byte];
  for (const byte of data) add(byte);
  for (let size = data.length; size > 0; size = Math.floor(size / 256)) add(size & 255);
  return ~crc >>> 0;
}

const cksum = defineCommand("cksum", async (args, ctx) => {
  const { rest } = readOptions(args, "");
  let out = "";
  for (const name of rest.length > 0 ? rest : [undefined]) {
    const data = toArray(await readInput(ctx, name));
    out += `${posixCrc(data)} ${data.length}${name === undefined ? "" : ` ${name}`}\n`;
  }
  return textResult(out);
});

const sum = defineCommand("sum", async (args, ctx) => {
  const { rest } = readOptions(args, "rs");
  let out = "";
  for (const name of rest.length > 0 ? rest : [undefined]) {
    const data = toArray(await readInput(ctx, name));
    let value = 0;
    for (const byte of data) value = ((value >> 1) + ((value & 1) << 15) + byte) & 0xffff;
    out += `${String(value).padStart(5, "0")} ${String(Math.ceil(data.length / 1024)).padStart(5)}${
      name === undefined ? "" : ` ${name}`
    }\n`;
  }
  return textResult(out);
});

async function digest(algorithm: string, bytes: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest(algorithm, toArray(bytes)));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function hasher(name: string, algorithm: string) {
  return defineCommand(name, async (args, ctx) => {
    const given = readOptions(args, "cbtqwz1", {
      check: "c",
      binary: "b",
      text: "t",
      quiet: "q",
      status: "1",
      warn: "w",
    });
    const names = given.rest.length > 0 ? given.rest : ["-"];
    if (!given.has("c")) {
      let out = "";
      for (const path of names) out += `${await digest(algorithm, await readInput(ctx, path))}  ${path}\n`;
      return textResult(out);
    }
    let report = "";
    let failed = 0;
    for (const list of names) {
      for (const line of linesOf(await readText(ctx, list))) {
        const match = line.match(/^([0-9a-fA-F]+) [ *](.+)$/);
        if (!match) continue;
        const content = await readInput(ctx, match[2]).catch((error) => {
          if (error instanceof CommandError) return undefined;
          throw error;
        });
        const good = content !== undefined && await digest(algorithm, content) === match[1].toLowerCase();
        if (!good) failed++;
        if (!(good && given.has("q"))) {
          report += `${match[2]}: ${good ? "OK" : content === undefined ? "FAILED open or read" : "FAILED"}\n`;
        }
      }
    }
    const warning = failed > 0
      ? `${name}: WARNING: ${failed} computed checksum${failed === 1 ? "" : "s"} did NOT match\n`
      : "";
    return bytesResult(given.has("1") ? "" : report, failed > 0 ? 1 : 0, given.has("1") ? "" : warning);
  });
}

export const commands = [cksum, sum, hasher("sha384sum", "SHA-384"), hasher("sha512sum", "SHA-512")];
