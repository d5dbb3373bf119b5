/** The private channel to the host: frames of length, type and body over a socket that only this thread holds. */

import type { FromHost, Stream, ToHost } from "../protocol.ts";

const JSON_FRAME = 0;
const OUTPUT_FRAMES = { stdout: 1, stderr: 2 };
const PIECE_FRAME = 3;
const FRAME_LIMIT = 16 << 20;

export class Channel {
  #writing: Promise<void> = Promise.resolve();
  readonly #encoder = new TextEncoder();

  constructor(private readonly socket: Deno.Conn) {}

  send(message: ToHost): void {
    if (message.op === "piece") return void this.#write(PIECE_FRAME, numbered(message.ask, message.data));
    const body = this.#encoder.encode(wellFormed(JSON.stringify(message)));
    if (body.length <= FRAME_LIMIT) void this.#write(JSON_FRAME, body);
    else if ("id" in message) this.#tooLarge(message, body.length);
  }

  output(run: number, stream: Stream, data: Uint8Array): Promise<void> {
    return this.#write(OUTPUT_FRAMES[stream], numbered(run, data));
  }

  /** Gives each message to `act` until the host hangs up. */
  async receive(act: (message: FromHost) => void): Promise<void> {
    const head = new Uint8Array(4);
    const decoder = new TextDecoder();
    while (await this.#fill(head)) {
      const length = new DataView(head.buffer).getUint32(0, true);
      if (length > FRAME_LIMIT) throw new Error(`a frame of ${length} bytes is over the limit`);
      const body = new Uint8Array(length);
      if (!await this.#fill(body)) return;
      if (body[0] === PIECE_FRAME) act(pieceIn(body));
      else act(JSON.parse(decoder.decode(body.subarray(1))));
    }
  }

  #tooLarge(message: ToHost & { id: number }, size: number): void {
    const note = `a message of ${size} bytes is over the limit of ${FRAME_LIMIT}`;
    if (message.op === "done") {
      const error = { type: "OutputLimit", message: note, line: null, column: null, traceback: "" };
      this.send({ ...message, outcome: { value: null, error, exitCode: 1 } });
    } else if (message.op === "display") {
      const data = { "text/plain": `<${note}>` };
      this.send({ ...message, display: { ...message.display, data, metadata: {} } });
    } else if (message.op === "reply") {
      this.send({ ...message, data: { error: note } });
    } else if (message.op === "input") {
      this.send({ ...message, prompt: "" });
    }
  }

  #write(type: number, body: Uint8Array): Promise<void> {
    const frame = new Uint8Array(5 + body.length);
    new DataView(frame.buffer).setUint32(0, body.length + 1, true);
    frame[4] = type;
    frame.set(body, 5);
    this.#writing = this.#writing.then(() => this.#drain(frame));
    return this.#writing;
  }

  async #drain(frame: Uint8Array): Promise<void> {
    for (let done = 0; done < frame.length;) done += await this.socket.write(frame.subarray(done));
  }

  async #fill(into: Uint8Array): Promise<boolean> {
    for (let done = 0; done < into.length;) {
      const count = await this.socket.read(into.subarray(done));
      if (count === null) return false;
      done += count;
    }
    return true;
  }
}

function numbered(number: number, data: Uint8Array): Uint8Array {
  const body = new Uint8Array(4 + data.length);
  new DataView(body.buffer).setUint32(0, number, true);
  body.set(data, 4);
  return body;
}

function pieceIn(body: Uint8Array<ArrayBuffer>): FromHost {
  const ask = new DataView(body.buffer).getUint32(1, true);
  return { op: "piece", ask, data: body.subarray(5) };
}

/** Half a surrogate pair, which JSON only has as an escape, is no text to the host. */
function wellFormed(json: string): string {
  if (!json.includes("\\ud")) return json;
  return json.replace(/\\(?:u(d[89a-f]..)|.)/g, (escape, half) => half ? "\ufffd" : escape);
}
