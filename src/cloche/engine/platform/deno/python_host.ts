/**
 * Cloche's Python, started by a Deno program that uses the engine itself: says where the parts of a sandbox are, and
 * installs packages. So all languages have packages here too, from the indexes that the user has configured, with the
 * same checks as in every other sandbox.
 */

import type { PackageSource } from "../../client/connection.ts";
import type { Package } from "../../fs/packages.ts";
import type { HostRequest } from "../../protocol.ts";
import type { EnginePaths } from "./platform.ts";

const MODULE = "cloche.sandbox.embedding.deno_bridge";
const GONE = "Cloche's Python has ended: nothing can be installed any more";

type Line =
  | { places: Omit<EnginePaths, "workspace"> }
  | { op: "print"; request: number; text: string }
  | { op: "end"; request: number; error: { type: string; message: string } | null; data?: unknown }
  | { op: "mount"; mount: number; packages: Package[] };

interface Open {
  print(data: Uint8Array<ArrayBuffer>): void;
  resolve(data: unknown): void;
  reject(error: Error): void;
}

export class PythonHost implements PackageSource {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #open = new Map<number, Open>();
  #last = 0;
  #mount: (packages: Package[]) => Promise<void> = () => Promise.reject(new Error("no engine is connected"));
  #located: (places: Omit<EnginePaths, "workspace">) => void = () => {};
  #failed: (error: Error) => void = () => {};
  readonly #ended: Promise<void>;
  #over = false;
  /** Where the parts of a sandbox are; missing ones are fetched first. */
  readonly places: Promise<Omit<EnginePaths, "workspace">>;

  /** `python` has Cloche installed; packages are put into `folder`. */
  constructor(python: string, folder: string) {
    Deno.mkdirSync(folder, { recursive: true });
    const args = ["-m", MODULE, folder];
    this.#child = new Deno.Command(python, { args, stdin: "piped", stdout: "piped", stderr: "inherit" }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.places = new Promise((resolve, reject) => {
      this.#located = resolve;
      this.#failed = reject;
    });
    // The caller that waits for it gets the error.
    this.places.catch(() => {});
    this.#ended = this.#listen();
  }

  answer(content: HostRequest, print: (data: Uint8Array<ArrayBuffer>) => void): Promise<unknown> {
    if (this.#over) return Promise.reject(new Error(GONE));
    const request = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#open.set(request, { print, resolve, reject });
      this.#send({ op: "request", request, run: 0, content, complete: true });
    });
  }

  onMount(mount: (packages: Package[]) => Promise<void>): void {
    this.#mount = mount;
  }

  /** Ends it; may be called twice. */
  async close(): Promise<void> {
    await this.#input.close().catch(() => {});
    await this.#ended;
    await this.#child.status;
  }

  #send(message: unknown): void {
    this.#input.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`)).catch(() => {});
  }

  async #listen(): Promise<void> {
    let rest = "";
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#receive(JSON.parse(line) as Line);
    }
    this.#over = true;
    this.#failed(new Error(GONE));
    for (const { reject } of this.#open.values()) reject(new Error(GONE));
    this.#open.clear();
  }

  #receive(line: Line): void {
    if ("places" in line) return this.#located(line.places);
    if (line.op === "mount") return void this.#apply(line.mount, line.packages);
    const open = this.#open.get(line.request);
    if (!open) return;
    if (line.op === "print") open.print(new TextEncoder().encode(line.text));
    else {
      this.#open.delete(line.request);
      if (line.error) open.reject(new Error(line.error.message));
      else open.resolve(line.data);
    }
  }

  async #apply(mount: number, packages: Package[]): Promise<void> {
    const why = await this.#mount(packages).then(() => null, (error) => String(error?.message ?? error));
    this.#send({ op: "mounted", mount, error: why });
  }
}
