/** The private channel to the host: frames of length, type and body over a socket that only this thread has. */

import type { RunLimits } from "../../limits.ts";
import type { FromHost, Stream, ToHost } from "../../protocol.ts";

const JSON_FRAME = 0;
const OUTPUT_FRAMES = { stdout: 1, stderr: 2 };
const CHUNK_FRAME = 3;
/** Frames up to this size are read several at once. */
const READ_SIZE = 64 << 10;
const decoder = new TextDecoder();

export class Channel {
  /** The frames before this one, until they are sent. */
  #writing: Promise<void> | undefined;
  readonly #encoder = new TextEncoder();
  #act: (message: FromHost) => void = () => {};

  /** The limits come with the host's first message; until then, no guest runs that could exceed them. */
  constructor(private readonly socket: Deno.Conn, private limits?: RunLimits) {}

  send(message: ToHost): void {
    if (message.op === "chunk") return void this.#write(CHUNK_FRAME, message.data, message.request);
    const fault = this.limits && faultOf(message, this.limits);
    if (fault) return this.#refuse(message, fault);
    const body = this.#encoder.encode(wellFormed(JSON.stringify(message)));
    const limit = this.limits?.frameLimit ?? Infinity;
    if (body.length <= limit) void this.#write(JSON_FRAME, body);
    else this.#refuse(message, `a message of ${body.length} bytes is over the limit of ${limit}`);
  }

  output(run: number, stream: Stream, data: Uint8Array): Promise<void> {
    return this.#write(OUTPUT_FRAMES[stream], data, run);
  }

  /** Passes each message to `act` until the host hangs up. */
  async receive(act: (message: FromHost) => void): Promise<void> {
    this.#act = act;
    const buffer = new Uint8Array(READ_SIZE);
    for (let filled = 0;;) {
      const count = await this.socket.read(buffer.subarray(filled));
      if (count === null) return;
      filled += count;
      let at = 0;
      while (filled - at >= 4) {
        const length = this.#lengthAt(buffer, at);
        if (filled - at - 4 < length) break;
        act(this.#messageIn(buffer.subarray(at + 4, at + 4 + length)));
        at += 4 + length;
      }
      if (filled - at >= 4 && this.#lengthAt(buffer, at) > READ_SIZE - 4) {
        const body = new Uint8Array(this.#lengthAt(buffer, at));
        body.set(buffer.subarray(at + 4, filled));
        if (!await this.#fill(body, filled - at - 4)) return;
        act(this.#messageIn(body));
        at = filled;
      }
      buffer.copyWithin(0, at, filled);
      filled -= at;
    }
  }

  #lengthAt(buffer: Uint8Array, at: number): number {
    const length = new DataView(buffer.buffer, buffer.byteOffset + at, 4).getUint32(0, true);
    if (this.limits && length > this.limits.frameLimit) throw new Error(`a frame of ${length} bytes is over the limit`);
    return length;
  }

  #messageIn(body: Uint8Array<ArrayBuffer>): FromHost {
    const message = messageIn(body);
    if (message.op === "start") this.limits = message.config.limits;
    return message;
  }

  /** Replaces a message that is too large by a short one. A request is answered, as the host would answer it. */
  #refuse(message: ToHost, note: string): void {
    if (message.op === "done") {
      const error = { type: "OutputLimit", message: note, line: null, column: null, traceback: "" };
      this.send({ ...message, outcome: { value: null, error, exitCode: 1 } });
    } else if (message.op === "display") {
      const data = { "text/plain": `<${note}>` };
      this.send({ ...message, display: { ...message.display, data, metadata: {} } });
    } else if (message.op === "reply") {
      this.send({ ...message, data: { error: note } });
    } else if (message.op === "failed") {
      this.send({ ...message, message: note });
    } else if (message.op === "stuck") {
      this.send({ ...message, shell: null });
    } else if (message.op === "request") {
      this.#refuseRequest(message, note);
    }
  }

  /** A question to the user loses its prompt, not its answer. */
  #refuseRequest(message: ToHost & { op: "request" }, note: string): void {
    const { request, content: { kind, password } } = message;
    if (kind !== "input") return this.#act({ op: "end", request, error: { type: "TooLong", message: note } });
    this.send({ ...message, content: { kind, prompt: "", password: password === true } });
  }

  #write(type: number, body: Uint8Array, number?: number): Promise<void> {
    const head = number === undefined ? 5 : 9;
    const frame = new Uint8Array(head + body.length);
    const view = new DataView(frame.buffer);
    view.setUint32(0, frame.length - 4, true);
    frame[4] = type;
    if (number !== undefined) view.setUint32(5, number, true);
    frame.set(body, head);
    // A message that need not wait is sent before the sender continues, which may take long.
    const writing = this.#writing ? this.#writing.then(() => this.#drain(frame)) : this.#drain(frame);
    this.#writing = writing;
    void writing.then(() => {
      if (this.#writing === writing) this.#writing = undefined;
    });
    return writing;
  }

  async #drain(frame: Uint8Array): Promise<void> {
    for (let done = 0; done < frame.length;) done += await this.socket.write(frame.subarray(done));
  }

  async #fill(into: Uint8Array, from: number): Promise<boolean> {
    for (let done = from; done < into.length;) {
      const count = await this.socket.read(into.subarray(done));
      if (count === null) return false;
      done += count;
    }
    return true;
  }
}

function messageIn(body: Uint8Array<ArrayBuffer>): FromHost {
  if (body[0] !== CHUNK_FRAME) return JSON.parse(decoder.decode(body.subarray(1)));
  const request = new DataView(body.buffer, body.byteOffset + 1, 4).getUint32(0, true);
  // The bytes are copied, so that a small chunk does not keep the buffer of the others.
  const data = body.length < body.buffer.byteLength ? body.slice(5) : body.subarray(5);
  return { op: "chunk", request, data };
}

/**
 * What is wrong with the shape of a message, if anything. The host decodes it in one step: a deep one would exhaust its
 * stack, many small values its time.
 */
function faultOf(message: ToHost, { displayDepth, displayValues }: RunLimits): string | undefined {
  let left = displayValues;
  const tooDeep = (value: unknown, depth: number): boolean => {
    if (typeof value !== "object" || value === null || left < 0) return false;
    if (depth === 0) return true;
    const values = Array.isArray(value) ? value : Object.values(value);
    left -= values.length;
    return left >= 0 && values.some((each) => tooDeep(each, depth - 1));
  };
  if (tooDeep(message, displayDepth)) return `a message of more than ${displayDepth} lists and objects in each other`;
  return left < 0 ? `a message of more than ${displayValues} values` : undefined;
}

/** The host does not take half a surrogate pair, which JSON only has as an escape, for text. */
function wellFormed(json: string): string {
  if (!json.includes("\\ud")) return json;
  return json.replace(/\\(?:u(d[89a-f]..)|.)/g, (escape, half) => half ? "\ufffd" : escape);
}
