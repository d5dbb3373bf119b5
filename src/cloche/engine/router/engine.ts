/** Routes between the host and the workers, climbs the interrupt ladder, and never runs guest code itself. */

import type { Config, FromHost, FromWorker, Init, Language, LanguageStates, Outcome, ToHost } from "../protocol.ts";
import { BackgroundWork } from "./background_work.ts";
import { Alarms } from "./programs/alarms.ts";
import { Processes } from "./programs/processes.ts";
import { ProgramCalls } from "./programs/program_calls.ts";
import { BlockingReplies } from "./blocking_replies.ts";
import { QUOTA_BYTES } from "../fs/quota.ts";
import { MemoryBudget } from "../worker/memory_budget.ts";
import { CATALOG, LANGUAGES } from "../languages/catalog.ts";
import { CANNOT_START } from "../languages/language.ts";
import { collectGarbage } from "../platform/deno/idle_collector.ts";
import { PackageMounting } from "./package_mounting.ts";
import { PackLoader } from "./pack_loader.ts";
import { OWN_QUERY, ProcessReplacement } from "./process_replacement.ts";
import { RequestRelay } from "./request_relay.ts";
import { InterruptLadder } from "./interrupt_ladder.ts";
import { OpenRuns } from "./open_runs.ts";
import { OutputCollector, type SendOutput } from "./output_collector.ts";
import { interruptedOutcome, STUCK, unavailableOutcome } from "./outcomes.ts";
import { type Spawn, WorkerSlot } from "./worker_slot.ts";
import { SavedMemories } from "./saved_memories.ts";
import { SpareWorkers } from "./spare_workers.ts";

export interface EnginePorts {
  spawn: Spawn;
  assets: string;
  /** Compiles a module. */
  compile(path: string): Promise<WebAssembly.Module>;
  send(message: ToHost): void;
  output: SendOutput;
}

/** Milliseconds after a language was loaded before a spare worker is started. */
const SPARE_DELAY = 30;
const NOT_READY = "stopped before the language was ready";
const LOST = "the worker was replaced; variables are gone, files are kept";
const ENDED = "its program has ended";
const UNLOADED = "the language was unloaded; variables are gone, files are kept";

export class Engine {
  /** The worker of each language, and its processes. */
  readonly #slots = new Map<string, WorkerSlot>();
  readonly #runs = new OpenRuns(
    (message) => this.outside.send(message),
    (run) => this.#background.begun(run),
  );
  readonly #ladder = new InterruptLadder({
    slots: this.#slots,
    runs: this.#runs.languages,
    workers: () => this.#config.limits.workerLimit,
    wake: (slot) => this.#requests.wake(slot),
    withdraw: (language, slot) => this.#withdraw(language, slot),
    replace: (language, why) => this.#replace(language, why),
    endProcess: (slot, why) => this.#endProcess(slot, why),
    replaceProcess: () => this.#replacement.begin(),
  });
  readonly #processes = new Processes({
    start: (number) => this.#startProcess(number),
    end: (slot, why) => this.#endProcess(slot, why),
    limit: () => this.#config.limits.processLimit,
    allGone: () => {
      this.#packs.drop(`${this.outside.assets}/${CATALOG.python.process}`);
      collectGarbage();
    },
  });
  readonly #programs = new ProgramCalls({
    slot: (language) => CATALOG[language].process ? this.#processes.take() : this.#slot(language),
    bash: () => this.#slots.get("bash"),
    settled: (slot) => this.#programSettled(slot),
    calm: () => this.#ladder.calm,
    wake: (slot) => this.#requests.wake(slot),
    isOver: (run) => !this.#runs.languages.has(run),
    // Python knows its background work. It needs no interrupt, which waiting code would take for its own.
    serves: (slot) => this.#background.serves(slot, slot === this.#slots.get("python")),
  });
  readonly #background = new BackgroundWork({
    slots: this.#slots,
    runs: this.#runs.languages,
    send: (message) => this.outside.send(message),
    replace: (language, why) => this.#replace(language, why),
    replaceProcess: () => this.#replacement.begin(),
  });
  readonly #output = new OutputCollector(
    this.#slots,
    (run, stream, data) => this.outside.output(run, stream, data),
    () => {
      this.#background.sample();
      return this.#runs.languages.size > 0;
    },
  );
  readonly #replacement = new ProcessReplacement(
    () => this.#slots.get("bash"),
    () => this.#config.shell,
    (shell) => this.#abandonProcess(shell),
  );
  readonly #blocking = new BlockingReplies((slot) => this.#mounting.takeMissedPackages(slot));
  readonly #requests = new RequestRelay({
    send: (message) => this.outside.send(message),
    replies: this.#blocking,
    programs: this.#programs,
    limits: () => this.#config.limits,
    languages: () => this.#listLanguages(),
    blocked: (slot) => this.#mounting.noteBlocked(slot),
  });
  readonly #spares = new SpareWorkers((name, receive, failed) => this.outside.spawn(name, receive, failed));
  readonly #packs = new PackLoader(
    (path) => this.outside.compile(path),
    (language) => this.#requests.ask({ kind: "pack", language }),
  );
  /** Resets that wait for their new worker. */
  readonly #resets = new Map<WorkerSlot, number[]>();
  #losses = 0;
  readonly #quota = new SharedArrayBuffer(QUOTA_BYTES);
  readonly #memory = new MemoryBudget();
  readonly #alarms = new Alarms();
  #config!: Config;
  #started = false;
  #preload: Language[] = [];
  #env: Record<string, string> = {};
  #announced = false;
  readonly #saved = new SavedMemories(() => this.#config.saved);
  #begin: () => void = () => {};
  readonly #configured = new Promise<void>((resolve) => this.#begin = resolve);
  readonly #mounting = new PackageMounting((id, data) => this.outside.send({ op: "reply", id, data }));

  constructor(private readonly outside: EnginePorts) {}

  /** Starts a worker before the host has sent the configuration, to save time. */
  warm(language: Language): void {
    // Compiling continues in the background; starting a worker first would delay it.
    const { program } = CATALOG[language];
    if (program) void this.#packs.compile(`${this.outside.assets}/${program}`);
    this.#slot(language);
  }

  receive(message: FromHost): void {
    switch (message.op) {
      case "start":
        return this.#start(message.config);
      case "run":
        return this.#run(message);
      case "query":
        return this.#query(message);
      case "interrupt":
        this.#runs.noteInterrupt();
        this.#programs.interrupt();
        return this.#ladder.interrupt(message.grace);
      case "stop_background":
        return this.#background.stop(message.grace);
      case "env":
        return this.#setEnv(message.env);
      case "reset":
        return this.#reset(message.language, message.id);
      case "packages":
        return this.#mounting.set(message.id, message.packages, this.#slots.values());
      case "unload":
        return this.#unload(message.language, message.id);
      case "languages":
        return this.outside.send({ op: "reply", id: message.id, data: this.#listLanguages() });
      default:
        this.#requests.fromHost(message);
    }
  }

  /** Ends every thread, if possible: no more messages are sent from here. */
  end(): void {
    this.#spares.clear();
    this.#processes.clear();
    for (const slot of this.#slots.values()) slot.terminate();
  }

  #start(config: Config): void {
    this.#config = config;
    this.#started = true;
    this.#preload = config.preload;
    this.#env = config.env;
    this.#mounting.packages = config.packages;
    this.#begin();
    for (const language of config.preload) this.#slot(language);
    if (config.preload.length === 0) this.#announce();
  }

  #announce(): void {
    if (this.#announced) return;
    this.#announced = true;
    this.outside.send({ op: "ready", languages: [...this.#slots.values()].map(({ language }) => language) });
  }

  #slot(language: Language): WorkerSlot {
    return this.#slots.get(language) ?? this.#startWorker(language, this.#spares.spawn);
  }

  #startWorker(language: Language, spawn: Spawn, process = 0): WorkerSlot {
    // Programs are compiled in the background, starting before the thread is started, which takes a while.
    const init = this.#init(language, process);
    const slot = new WorkerSlot(
      language,
      () => init,
      spawn,
      (from, message) => this.#fromWorker(language, from, message),
      (from, text) => this.#failed(language, from, text),
      process,
    );
    this.#slots.set(slot.name, slot);
    return slot;
  }

  /** An interpreter for one program. */
  #startProcess(number: number): WorkerSlot {
    return this.#startWorker("python", (...worker) => this.outside.spawn(...worker), number);
  }

  async #init(language: Language, number: number): Promise<Omit<Init, "shared">> {
    const { assets } = this.outside;
    // Until the host has sent the configuration, it receives nothing. Later it is asked for files at once: it looks for
    // them while a thread is started.
    if (!this.#started) await this.#configured;
    const { program, process } = CATALOG[language];
    const path = number > 0 ? process : program;
    const { pack, modules } = path
      ? { pack: "", modules: { [language]: await this.#packs.compile(`${assets}/${path}`) } }
      : await this.#packs.get(language);
    const saved = number > 0 ? {} : this.#saved.take(language);
    const config = { ...this.#config, env: this.#env, packages: this.#mounting.packages, saved };
    const [quota, memory] = [this.#quota, this.#memory.buffer];
    return { language, assets, config, pack, modules, quota, process: number, memory };
  }

  #listLanguages(): LanguageStates {
    const known = LANGUAGES.map((language) => {
      const slot = this.#slots.get(language);
      const saved = this.#saved.find(language) !== undefined;
      return [language, { loaded: slot?.ready === true, memory: this.#memoryOf(language), saved }];
    });
    return Object.fromEntries(known) as LanguageStates;
  }

  /** Bytes of all its interpreters. */
  #memoryOf(language: Language): number {
    return [...this.#slots.values()].reduce((sum, slot) => slot.language === language ? sum + slot.memory : sum, 0);
  }

  /** Ends the worker, with all state of the language; the next use starts another. */
  #unload(language: Language, id: number): void {
    const slot = this.#slots.get(language);
    if (slot) this.#remove(language, slot, UNLOADED);
    this.#packs.forget(language);
    if ([...this.#slots.values()].every((each) => CATALOG[each.language].core)) this.#spares.clear();
    this.outside.send({ op: "reply", id, data: { unloaded: slot !== undefined } });
  }

  #run(message: FromHost & { op: "run" }): void {
    const slot = this.#slot(message.language);
    for (const each of this.#slots.values()) if (each.process === 0) each.shared.clear();
    this.#runs.begin(message.id, message.language);
    if (!this.#output.watches) this.#background.beginSampling();
    this.#output.watch();
    slot.unanswered.set(`run ${message.id}`, message.id);
    if (slot.ready) this.#background.expect(message.id, message.language);
    slot.post({ op: "run", id: message.id, request: message.request });
  }

  #query(message: FromHost & { op: "query" }): void {
    if (message.query.kind === "save" && this.#isUnused(message.language)) {
      return this.outside.send({ op: "reply", id: message.id, data: { unused: true, shell: this.#config.shell } });
    }
    const slot = this.#slot(message.language);
    slot.queries.add(message.id);
    slot.unanswered.set(`query ${message.id}`, 0);
    slot.post({ op: "query", id: message.id, query: message.query });
  }

  /** Whether a language has no state, not even a saved one. */
  #isUnused(language: Language): boolean {
    return !this.#slots.has(language) && this.#saved.find(language) === undefined;
  }

  #fromWorker(language: Language, slot: WorkerSlot, message: FromWorker): void {
    if (this.#slots.get(slot.name) !== slot) return;
    switch (message.op) {
      case "ready":
        for (const id of this.#resets.get(slot) ?? []) this.outside.send({ op: "reply", id, data: null });
        this.#resets.delete(slot);
        // A user of one of them will probably use another, or this one again.
        if (!CATALOG[language].core) setTimeout(() => this.#spares.prepare(), SPARE_DELAY);
        if (this.#preload.every((each) => this.#slots.get(each)?.ready)) this.#announce();
        return;
      case "failed":
        return this.#failed(language, slot, message.message);
      case "output":
        return void this.#output.take(slot, message);
      case "begun":
        return this.#background.begun(message.id);
      case "background":
        return this.#background.report(language, message.work);
      case "background_stopped":
        return this.#background.stopped(language);
      case "done":
        return this.#done(language, slot, message);
      case "program_output":
        return this.#programs.output(slot, message.program, message.stream, message.data);
      case "program_done":
        return this.#programs.answer(slot, message.program, message.result);
      case "packages_set":
        return this.#mounting.done(message.id, slot, message.error);
      case "cancelled":
        slot.cancelsSeen = message.cancel;
        return;
      case "memory":
        slot.memory = message.bytes;
        return;
      case "alarm":
        return this.#alarms.set(slot, message);
      case "read_next":
        return this.#blocking.next(slot);
      case "reply":
        if (message.id === OWN_QUERY && language === "bash") return this.#replacement.receive(message.data);
        slot.unanswered.delete(`query ${message.id}`);
        if (slot.queries.delete(message.id)) this.outside.send(message);
        return;
      case "display":
      case "clear":
        return this.outside.send(message);
      default:
        this.#requests.fromWorker(slot, message);
    }
  }

  #done(language: Language, slot: WorkerSlot, message: FromWorker & { op: "done" }): void {
    if (!slot.unanswered.delete(`run ${message.id}`) || !this.#runs.close(message.id)) return;
    if (message.fatal) {
      return this.#lose(language, message.id, slot.shared.interrupted ? interruptedOutcome(STUCK) : message.outcome);
    }
    const lost = this.#losses;
    this.#ladder.afterInterrupts(() => {
      this.#runs.answer(message.id, message.outcome, this.#losses === lost ? "kept" : "lost");
    });
  }

  #withdraw(language: Language, slot: WorkerSlot): void {
    for (const [run, owner] of [...this.#runs.languages]) {
      if (owner !== language || !slot.withdraw((message) => message.op === "run" && message.id === run)) continue;
      slot.unanswered.delete(`run ${run}`);
      this.#runs.end(run, interruptedOutcome(NOT_READY, 130), "kept");
    }
  }

  #lose(language: Language, run: number, outcome: Outcome): void {
    this.outside.send({ op: "done", id: run, outcome, state: "lost" });
    this.#replace(language, LOST, true);
  }

  #setEnv(env: Record<string, string>): void {
    this.#env = { ...this.#env, ...env };
    for (const slot of this.#slots.values()) if (slot.process === 0) slot.post({ op: "env", env });
  }

  #abandonProcess(shell: string | null): void {
    this.#output.collectAll();
    this.outside.send({ op: "stuck", shell });
    this.#losses++;
    this.#ladder.end();
    for (const run of [...this.#runs.languages.keys()]) this.#runs.end(run, interruptedOutcome(STUCK), "lost");
    for (const slot of this.#slots.values()) this.#failQueries(slot, STUCK);
  }

  #failQueries(slot: WorkerSlot, why: string): void {
    for (const id of slot.queries) this.outside.send({ op: "reply", id, data: { error: why } });
    slot.queries.clear();
  }

  /** Replies when the new interpreter is ready, so that the next run need not wait. */
  #reset(language: Language, id: number): void {
    this.#replace(language, LOST, true);
    const slot = this.#slots.get(language);
    if (!slot || slot.ready) return this.outside.send({ op: "reply", id, data: null });
    this.#resets.set(slot, [...this.#resets.get(slot) ?? [], id]);
  }

  /** Second rung: the worker is ended, and a new one starts from the snapshot. `told`: a caller learns of it anyway. */
  #replace(language: Language, why: string, told = false): void {
    const old = this.#slots.get(language);
    if (!old) return;
    this.#slots.delete(language);
    this.#slot(language);
    this.outside.send({ op: "replaced", language, told: told || this.#runs.has(language) });
    this.#remove(language, old, why);
  }

  /** Ends the worker; everything that waited for it gets an answer. */
  #remove(language: Language, old: WorkerSlot, why: string): void {
    if (this.#slots.get(language) === old) this.#slots.delete(language);
    this.#losses++;
    this.#background.report(language, []);
    this.#end(old, why);
    this.#failQueries(old, why);
    this.#runs.endAll(language, interruptedOutcome(why), "lost");
  }

  /** Ends an interpreter that runs a program, or waits for one; one that computes sees it by its clock. */
  #endProcess(slot: WorkerSlot, why: string): void {
    if (this.#slots.get(slot.name) !== slot) return;
    this.#slots.delete(slot.name);
    slot.shared.kill();
    this.#end(slot, why);
    this.#processes.gone(slot);
    // One that could not start leaves no room for another.
    if (!why.startsWith(CANNOT_START)) this.#programs.placeFreed();
  }

  #end(slot: WorkerSlot, why: string): void {
    this.#output.collect(slot);
    slot.terminate();
    if (slot.language === "python") this.#memory.set(slot.process, 0);
    this.#alarms.forget(slot);
    this.#requests.forget(slot);
    this.#mounting.gone(slot);
    this.#programs.drop(slot, why);
  }

  #programSettled(slot: WorkerSlot): void {
    this.#ladder.release();
    if (slot.process === 0) return;
    this.#endProcess(slot, ENDED);
    if (!this.#programs.areWaiting) this.#processes.prepare();
  }

  #failed(language: Language, slot: WorkerSlot, text: string): void {
    if (this.#slots.get(slot.name) !== slot) return;
    if (slot.process > 0) return this.#endProcess(slot, text);
    if (slot.ready) return this.#replace(language, text);
    const awaited = !this.#announced && this.#preload.includes(language);
    if (CATALOG[language].core || awaited) {
      return this.outside.send({ op: "failed", message: text });
    }
    this.#unavailable(language, slot, text);
  }

  /** A language could not be started: its runs fail, the sandbox continues, and the next use tries again. */
  #unavailable(language: Language, slot: WorkerSlot, text: string): void {
    const advice = CATALOG[language].pack ? `; \`cloche fetch --force ${language}\` fetches its files anew` : "";
    const why = `${CATALOG[language].title} could not be started: ${text}${advice}`;
    this.#runs.endAll(language, unavailableOutcome(why), "kept");
    this.#remove(language, slot, why);
    this.#packs.forget(language);
  }
}
