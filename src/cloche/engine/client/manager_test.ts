import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { denoConfig, denoPlatform, type EnginePaths } from "../platform/deno/platform.ts";
import { Scratch } from "../testing/harness_test.ts";
import { BaseRuntime, type ExecuteResult, type RuntimeConfig } from "./base_runtime.ts";
import { LANGUAGES } from "../languages/catalog.ts";
import { type LanguageConfigs, RuntimeManager } from "./manager.ts";

/** Where `cloche fetch all` puts everything. */
const places = JSON.parse(Deno.env.get("CLOCHE_PLACES") ?? "null") as Omit<EnginePaths, "workspace"> | null;

function connect(scratch: Scratch, languages?: LanguageConfigs): RuntimeManager {
  ok(places, "set CLOCHE_PLACES to what scripts/engine_test_paths.py prints");
  const all = { ...places, workspace: scratch.path };
  return RuntimeManager.connect(denoPlatform(all), denoConfig(all), languages);
}

/** A language that is not in the catalogue: it repeats its input. */
class Echo extends BaseRuntime {
  constructor(private readonly answer: string, config: Partial<RuntimeConfig> = {}) {
    super("echo", config);
  }

  load(): Promise<void> {
    this.loaded = true;
    return Promise.resolve();
  }

  execute(code: string): Promise<ExecuteResult> {
    this.log(code, "stdout");
    const result = { success: true, returnValue: this.answer, error: null, exitCode: 0, output: code };
    return Promise.resolve({ ...result, executionTime: 0, timedOut: false, state: "kept" });
  }
}

const leaky = { sanitizeOps: false, sanitizeResources: false };

Deno.test({
  ...leaky,
  name: "a manager loads languages when they are used, knows the current one, and frees them",
  fn: async () => {
    using scratch = new Scratch();
    const manager = connect(scratch);
    const seen: string[] = [];
    manager.setOutputCallback(({ type, message, runtime, timestamp }) => {
      ok(timestamp > 0);
      seen.push(`${runtime} ${type} ${message}`);
    });
    await rejects(manager.execute("1"), /No runtime selected: switch to a language first/);
    await rejects(
      manager.executeIn("cobol", "1"),
      /Runtime "cobol" not found: there is no such language; known: python, bash/,
    );
    await rejects(
      manager.executeIn("rubby", "1"),
      /Runtime "rubby" not found: .*; did you mean "ruby"\? known: python/,
    );
    strictEqual(manager.isRuntimeLoaded("bash"), false);
    await manager.switchRuntime("bash");
    strictEqual(manager.getCurrentRuntime(), "bash");
    const result = await manager.execute("echo hi; exit 3");
    deepStrictEqual([result.success, result.exitCode, result.output, result.state], [false, 3, "hi\n", "kept"]);
    const told = ["bash info Loading bash runtime (5.5MB)...", "bash success bash 5 ready!", "bash stdout hi\n"];
    deepStrictEqual(seen, told);
    const info = manager.listRuntimes().find(({ name }) => name === "bash");
    deepStrictEqual([info?.loaded, info?.config.timeout], [true, 30_000]);
    deepStrictEqual(await manager.complete("bash", "ech"), ["echo"]);
    await manager.unloadRuntime("bash");
    deepStrictEqual([manager.isRuntimeLoaded("bash"), manager.getCurrentRuntime()], [false, "bash"]);
    strictEqual((await manager.execute("echo again")).output, "again\n");
    await manager.unloadAll();
    strictEqual(manager.isRuntimeLoaded("bash"), false);
    strictEqual(manager.getCurrentRuntime(), null);
  },
});

Deno.test({
  ...leaky,
  name: "every language reports its size, and how long code took",
  fn: async () => {
    using scratch = new Scratch();
    const manager = connect(scratch);
    const seen: string[] = [];
    manager.setOutputCallback(({ message, type }) => {
      if (type === "info") seen.push(message);
    });
    for (const { name, size, version, features } of manager.listRuntimes()) {
      ok(size > 0 && version !== "" && features.includes("completion"), name);
    }
    for (const language of LANGUAGES) {
      const { executionTime, success } = await manager.executeIn(language, "");
      ok(success && executionTime > 0 && executionTime < 30_000, language);
      match(seen.find((each) => each.startsWith("Loading")) ?? "", /^Loading \S+ runtime \([\d.]+[MK]B\)\.\.\.$/);
      await manager.unloadRuntime(language);
      seen.length = 0;
    }
  },
});

Deno.test("a language of one's own is registered, found, and replaced", async () => {
  const manager = new RuntimeManager();
  const seen: string[] = [];
  manager.setOutputCallback(({ message, runtime }) => void seen.push(`${runtime} ${message}`));
  manager.registerRuntime(new Echo("first", { version: "1", features: ["loud"] }));
  strictEqual((await manager.executeIn("echo", "hi")).returnValue, "first");
  const { name, version, size, features, loaded } = manager.listRuntimes()[0];
  deepStrictEqual([name, version, size, features, loaded], ["echo", "1", 0, ["loud"], true]);
  manager.registerRuntime(new Echo("second", { autoLoad: true }));
  strictEqual((await manager.executeIn("echo", "ho")).returnValue, "second");
  deepStrictEqual(seen, ["echo hi", "echo ho"]);
  deepStrictEqual(await manager.complete("echo", "x"), []);
  await rejects(manager.install("echo", "x"), /no packages for echo/);
  await manager.switchRuntime("echo");
  await manager.unloadAll();
  strictEqual(manager.getCurrentRuntime(), null);
});

Deno.test({
  ...leaky,
  name: "each language has a configuration, and it may change",
  fn: async () => {
    using scratch = new Scratch();
    const manager = connect(scratch, { bash: { captureOutput: false, timeout: 1000 } });
    strictEqual((await manager.executeIn("bash", "echo hi")).output, "");
    const { config } = await manager.loadRuntime("bash", { captureOutput: true });
    const { autoLoad, timeout, captureOutput, autoInstallPackages } = config;
    deepStrictEqual([autoLoad, timeout, captureOutput, autoInstallPackages], [false, 1000, true, true]);
    strictEqual((await manager.executeIn("bash", "echo hi")).output, "hi\n");
    await rejects(manager.install("python", "x"), /not here, where no host answers/);
    await manager.unloadAll();
    const eager = connect(scratch, { bash: { autoLoad: true } });
    await new Promise<void>((resolve) =>
      eager.setOutputCallback(({ type }) => {
        if (type === "success") resolve();
      })
    );
    strictEqual(eager.isRuntimeLoaded("bash"), true);
    await eager.unloadAll();
  },
});

Deno.test({
  ...leaky,
  name: "a timeout stops the code and keeps the state",
  fn: async () => {
    using scratch = new Scratch();
    const manager = connect(scratch);
    await manager.executeIn("bash", "x=1");
    const result = await manager.executeIn("bash", "while true; do :; done", { timeout: 200 });
    deepStrictEqual([result.timedOut, result.state, result.success], [true, "kept", false]);
    strictEqual((await manager.executeIn("bash", "echo $x")).output, "1\n");
    await manager.unloadAll();
  },
});
