/** Runs code in a session of the user at the server: one for this page, begun with the first run. */

import { ask } from "../../api/client.ts";
import { followSession } from "../../api/follow_session.ts";
import { beginSession, interruptAction } from "../../api/sessions.ts";
import { textAt, valueAt, type WireEvent } from "../../events/wire.ts";
import type { RunError } from "./engine_types.ts";
import { describeError, type RunEnd, type RunHooks, type Runner } from "./runner.ts";

const KEY = "cloche.play.session";

export class ServerRunner implements Runner {
  #sid = "";
  #stopped = false;

  /** The session, once there is one. */
  get sid(): string {
    return this.#sid;
  }

  async run(language: string, code: string, hooks: RunHooks): Promise<RunEnd> {
    this.#stopped = false;
    hooks.progress(this.#sid ? "Sending" : "Starting a session");
    const sid = await this.#begin();
    let heard = false;
    let latest = -1;
    const leave = followSession(sid, {
      latest: () => latest,
      event: ({ id }) => {
        latest = Math.max(latest, id);
      },
      output: ({ stream, text }) => {
        heard = true;
        void hooks.output(text, stream);
      },
      connection: () => {},
    });
    try {
      hooks.begun();
      const began = performance.now();
      const event = { action: "run_code", args: { language, code } };
      const answer = await ask<WireEvent>(`/sessions/${sid}/actions`, { body: event });
      return showAnswer(answer, hooks, { heard, stopped: this.#stopped, duration: performance.now() - began });
    } finally {
      leave();
    }
  }

  stop(): void {
    this.#stopped = true;
    if (this.#sid) void interruptAction(this.#sid).catch(() => undefined);
  }

  async #begin(): Promise<string> {
    this.#sid ||= sessionStorage.getItem(KEY) ?? "";
    if (this.#sid && await isThere(this.#sid)) return this.#sid;
    const { id } = await beginSession({ title: "Play" });
    this.#sid = id;
    sessionStorage.setItem(KEY, id);
    return id;
  }
}

async function isThere(sid: string): Promise<boolean> {
  return await ask(`/sessions/${sid}`).then(() => true, () => false);
}

function showAnswer(
  answer: WireEvent,
  hooks: RunHooks,
  run: { heard: boolean; stopped: boolean; duration: number },
): RunEnd {
  const error = valueAt(answer, "extras", "error") as RunError | null | undefined ?? null;
  const value = textAt(answer, "extras", "value");
  const exitCode = Number(valueAt(answer, "extras", "exit_code") ?? 0);
  if (!run.heard && answer.content) void hooks.output(answer.content, "stdout");
  else if (value) void hooks.output(`${value}\n`, "value");
  if (run.heard && error && !run.stopped) void hooks.output(`${describeError(error)}\n`, "error");
  for (const address of valueAt(answer, "extras", "image_urls") as string[] | undefined ?? []) {
    const [, type, data] = /^data:([\w/+.-]+);base64,(.*)$/.exec(address) ?? [];
    if (type && data) hooks.display({ [type]: data });
  }
  const stopped = run.stopped && exitCode !== 0;
  return {
    ok: exitCode === 0 && answer.observation !== "error",
    stopped,
    exitCode,
    error: stopped ? null : error,
    duration: run.duration,
    memory: 0,
    state: textAt(answer, "extras", "state") === "lost" ? "lost" : "kept",
  };
}
