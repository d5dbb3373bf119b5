/** The terminal of a session: what is typed becomes actions of the user, what happens in the shell is shown. */

import { ask, type Problem } from "../../../api/client.ts";
import { interruptAction, sendAction } from "../../../api/sessions.ts";
import type { Completeness, Completion } from "../../../api/types.ts";
import { asProblem } from "../../../api/use_ask.ts";
import { countCharacters, findCharacter } from "../../../editor/completion.ts";
import type { SessionStore } from "../../../events/session_store.ts";
import { describeChoices, findCommon } from "./choices.ts";
import { type Key, readKeys } from "./keys.ts";
import { beginLine, insert, type Line, nextLine, press, replace } from "./line.ts";
import { LiveText } from "./live_text.ts";
import type { Ask, Piece, Screen } from "./screen.ts";
import { listHistory, makePrompt, makeTranscript, type Transcript } from "./transcript.ts";

/** Seconds that a command of the terminal may take before it is left running. */
const LIMIT = 600;

/** Lines that are not entered yet: they stay when the tab is left. */
const drafts = new Map<string, Line>();

export class Shell {
  #line: Line;
  #hint = "";
  /** What was entered, until it comes back as an event. */
  #sent: { ask: Ask; id?: number } | undefined;
  #queue: Key[] = [];
  #working = false;
  #transcript: Transcript;
  #latest = -1;
  readonly #live = new LiveText();
  readonly #leave: (() => void)[];

  constructor(
    readonly store: SessionStore,
    readonly screen: Screen,
    readonly failed: (problem: Problem | undefined) => void,
  ) {
    this.#line = drafts.get(store.sid) ?? beginLine();
    this.#transcript = makeTranscript(store.present.cards);
    this.#leave = [
      store.subscribe(() => this.update()),
      store.hear(({ action, text }) => this.#live.hear(action, text)),
    ];
    this.update();
  }

  close(): void {
    this.#leave.forEach((leave) => leave());
    drafts.set(this.store.sid, this.#line);
  }

  /** Takes what was typed; while a command runs it waits, but for Ctrl+C. */
  type(data: string): void {
    const keys = readKeys(data);
    if (this.#isBusy && keys.some((key) => key.kind === "key" && key.name === "interrupt")) {
      this.#queue = [];
      void this.#guard(() => interruptAction(this.store.sid));
      return;
    }
    this.#queue.push(...keys);
    void this.#work();
  }

  /** Shows what has happened. */
  update(): void {
    const { cards, latest } = this.store.present;
    if (this.#sent?.id !== undefined && latest >= this.#sent.id) this.#sent = undefined;
    this.#transcript = makeTranscript(cards);
    if (latest !== this.#latest) this.#learn(listHistory(cards));
    this.#latest = latest;
    this.#paint();
    if (!this.#isBusy) void this.#work();
  }

  /** Takes in lines that were entered elsewhere, unless one is looking through them. */
  #learn(history: readonly string[]): void {
    const line = this.#line;
    if (line.at === line.history.length && !line.search) this.#line = { ...line, history, at: history.length };
  }

  get #isBusy(): boolean {
    return this.#sent !== undefined || this.#transcript.state === "running";
  }

  #paint(): void {
    const { entries } = this.#transcript;
    const running = entries.findIndex(({ body }) => body === undefined);
    const shown = running < 0 ? entries : entries.slice(0, running + 1);
    this.#live.keepOnly(entries[running]?.id);
    const pieces = shown.map(({ id, head, body, tail }): Piece => ({
      id,
      text: head + (body ?? this.#hear(id)) + tail,
    }));
    this.screen.show(pieces, this.#sent?.ask ?? (running < 0 ? this.#makeAsk() : undefined));
  }

  /** What a command has printed so far, also before this terminal was there. */
  #hear(id: number): string {
    if (!this.#live.has(id)) {
      const live = this.store.present.cards.findLast((card) => card.id === id)?.live;
      this.#live.hear(id, `${live?.stdout ?? ""}${live?.stderr ?? ""}`);
    }
    return this.#live.read(id);
  }

  #makeAsk(): Ask {
    const { text, cursor, search } = this.#line;
    const { state, folder, code } = this.#transcript;
    const prompt = search
      ? `\x1b[2m(search) \x1b[0m${search.wanted}\x1b[2m:\x1b[0m `
      : state === "free"
      ? makePrompt(folder, code)
      : "";
    return { prompt, text, cursor, hint: this.#hint };
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    try {
      while (!this.#isBusy) {
        const key = this.#queue.shift();
        if (!key) break;
        this.#hint = "";
        await this.#take(key);
        this.#paint();
      }
    } finally {
      this.#working = false;
    }
  }

  async #take(key: Key): Promise<void> {
    if (key.kind !== "key") {
      this.#line = insert(this.#line, key.text);
      return;
    }
    const { line, effect } = press(this.#line, key.name);
    this.#line = line;
    if (effect === "submit") await this.#submit();
    else if (effect === "complete") await this.#complete();
    else if (effect === "clear") this.screen.clear();
    else if (effect === "interrupt") await this.#giveUp("C-c");
    else if (effect === "end" && this.#transcript.state !== "free") await this.#giveUp("C-d");
  }

  /** At a prompt the line is given up; else the key is for the program. */
  async #giveUp(key: string): Promise<void> {
    this.#line = beginLine(this.#line.history);
    if (this.#transcript.state !== "free") await this.#send({ command: key, is_input: true }, "");
  }

  async #submit(): Promise<void> {
    const { text } = this.#line;
    if (this.#transcript.state === "free") {
      if (!text.trim()) return;
      if (await this.#isOpen(text)) this.#line = insert({ ...this.#line, cursor: text.length }, "\n");
      else await this.#send({ command: text, blocking: true }, text);
    } else if (this.#transcript.state === "left" && !text) await this.#send({ command: "", blocking: true }, "");
    else await this.#send({ command: text, blocking: true, is_input: true }, text);
  }

  async #send(args: object, text: string): Promise<void> {
    const isCommand = this.#transcript.state === "free";
    const before = this.#line;
    this.#sent = { ask: { ...this.#makeAsk(), text, cursor: text.length } };
    this.#line = isCommand ? nextLine({ ...before, text }) : beginLine(before.history);
    this.#paint();
    try {
      const stored = await sendAction(this.store.sid, { action: "run", args, timeout: LIMIT });
      if (this.#sent) this.#sent.id = stored.id;
      this.failed(undefined);
      if (this.store.present.latest >= stored.id) this.#sent = undefined;
    } catch (error) {
      this.#sent = undefined;
      this.#line = before;
      this.#queue = [];
      this.failed(asProblem(error));
    }
  }

  /** Whether the shell would wait for more lines. */
  async #isOpen(code: string): Promise<boolean> {
    try {
      const told = await ask<Completeness>(`/sessions/${this.store.sid}/is_complete`, {
        body: { code, language: "bash" },
      });
      return told.status === "incomplete";
    } catch {
      // Runtimes that cannot tell take it as it is.
      return false;
    }
  }

  async #complete(): Promise<void> {
    if (this.#transcript.state !== "free") {
      this.#line = insert(this.#line, "    ");
      return;
    }
    const { text, cursor } = this.#line;
    await this.#guard(async () => {
      const body = { code: text, cursor: countCharacters(text, cursor), language: "bash" };
      const { matches, start, end } = await ask<Completion>(`/sessions/${this.store.sid}/complete`, { body });
      const [from, to] = [findCharacter(text, start), findCharacter(text, end)];
      const [only] = matches;
      if (only === undefined) return;
      if (matches.length === 1) {
        this.#line = replace(this.#line, from, to, /[/=\s]$/.test(only) ? only : `${only} `);
        return;
      }
      const common = findCommon(matches);
      if (common.length > to - from) this.#line = replace(this.#line, from, to, common);
      else this.#hint = describeChoices(matches, this.screen.paper.cols);
    });
  }

  async #guard(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.failed(undefined);
    } catch (error) {
      this.failed(asProblem(error));
    }
  }
}
