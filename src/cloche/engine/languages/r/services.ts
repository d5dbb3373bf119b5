/** What R may use of its worker: sleep, commands, missing packages, pictures. */

import { Interrupted, RequestError } from "../../worker/request_errors.ts";
import type { LanguageWorker } from "../language.ts";
import type { Stream } from "../../protocol.ts";
import { decodeLatin1 } from "../../text/bytes.ts";
import { ByteBuffer } from "../../worker/byte_buffer.ts";
import type { Plain } from "./values.ts";

/** The most characters of a value that are kept. */
const LONGEST = 1 << 20;

/** What belongs to a run: its number, and where its output goes. */
interface Run {
  id: number;
  write(stream: Stream, data: Uint8Array): void;
}

export class Services {
  /** What is printed while a value is shown; null if it is sent at once. */
  #captured: ByteBuffer | null = null;

  constructor(private readonly worker: LanguageWorker, private readonly run: Run) {}

  write(stream: Stream, data: Uint8Array): void {
    if (stream === "stdout" && this.#captured) this.#captured.add(data);
    else this.run.write(stream, data);
  }

  answer(what: string, given: Plain[]): Plain {
    switch (what) {
      case "capture":
        return this.#capture(given[0] === true);
      case "sleep":
        this.worker.outputBuffer.flush();
        this.worker.shared.sleep(Number(given[0]) * 1000);
        return null;
      case "system":
        return this.#system(given);
      case "provide":
        return this.#provide(String(given[0]));
      case "install":
        return this.#ask("install", { names: [given[0]].flat() });
      case "image":
        return this.#show({ "image/png": given[0] instanceof Uint8Array ? btoa(decodeLatin1(given[0])) : "" });
      case "html":
        return this.#show({ "text/html": String(given[0]) });
      default:
        return null;
    }
  }

  #capture(on: boolean): Plain {
    const captured = this.#captured;
    this.#captured = on ? new ByteBuffer() : null;
    if (!captured) return null;
    const shown = decoder.decode(captured.bytes).replace(/\n$/, "");
    return shown.length > LONGEST ? `${shown.slice(0, LONGEST)}\n... and ${shown.length - LONGEST} characters` : shown;
  }

  #show(data: Record<string, string>): null {
    this.worker.outputBuffer.flush();
    this.worker.display(this.run.id, { kind: "display", data, metadata: {}, displayId: null });
    return null;
  }

  #system([command, intern, cwd, variables]: Plain[]): Plain {
    this.worker.outputBuffer.flush();
    const wanted = intern === true;
    const env = environment([variables ?? []].flat());
    const request = { script: String(command), stdin: null, cwd: String(cwd), env, live: false, merge: false };
    try {
      const { exitCode, stdout, stderr } = this.worker.blocking.exec(this.run.id, "bash", request);
      this.write("stderr", stderr);
      if (!wanted) this.write("stdout", stdout);
      return { status: exitCode, output: wanted ? stdout : new Uint8Array(0) };
    } catch (error) {
      return { status: 130, output: encoder.encode(said(error)) };
    }
  }

  #provide(name: string): string | null {
    if (this.worker.init.config.autoInstall) return this.#ask("provide", { name });
    return `install.packages("${name}") in R, or box.install("${name}", language="r")`;
  }

  /** Null on success, otherwise the reason for the failure. */
  #ask(kind: string, content: Record<string, unknown>): string | null {
    this.worker.outputBuffer.flush();
    try {
      this.worker.blocking.request(this.run.id, { kind, language: "r", ...content });
      return null;
    } catch (error) {
      return said(error);
    }
  }
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

function said(error: unknown): string {
  if (error instanceof RequestError || error instanceof Interrupted) return error.message;
  throw error;
}

/** "NAME=value" each. */
function environment(variables: Plain[]): Record<string, string> {
  const pairs = variables.map(String).map((
    each,
  ) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]);
  return Object.fromEntries(pairs.filter(([name]) => !name.startsWith("R_") && name !== ""));
}
