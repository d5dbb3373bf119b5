import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { type Case, runCase } from "./cases/runner.ts";
import { denoConfig, denoPlatform, type Places } from "./host/platform.ts";
import { Scratch } from "./kit_test.ts";
import { LANGUAGES } from "./languages/catalog.ts";
import { RuntimeManager } from "./manager.ts";

/** Where `cloche fetch all` has put everything. */
const places = JSON.parse(Deno.env.get("CLOCHE_PLACES") ?? "null") as Omit<Places, "workspace"> | null;

function connect(scratch: Scratch): RuntimeManager {
  ok(places, "set CLOCHE_PLACES to what scripts/places.py prints");
  const all = { ...places, workspace: scratch.path };
  return RuntimeManager.connect(denoPlatform(all), denoConfig(all));
}

const leaky = { sanitizeOps: false, sanitizeResources: false };

const folder = new URL("./cases/", import.meta.url);

for (const language of LANGUAGES) {
  Deno.test({
    ...leaky,
    name: `cases of ${language}`,
    fn: async (t) => {
      using scratch = new Scratch();
      const manager = connect(scratch);
      const write = (path: string, text: string) => scratch.write(path.slice(1), text);
      const cases = JSON.parse(Deno.readTextFileSync(new URL(`${language}.json`, folder))) as Case[];
      for (const each of cases) {
        await t.step(each.name, async () => deepStrictEqual(await runCase({ manager, write }, language, each), []));
      }
      await manager.unloadAll();
    },
  });
}

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
    await rejects(manager.execute("1"), /switch to one first/);
    await rejects(manager.executeIn("cobol", "1"), /no language "cobol"; known: python, bash/);
    await rejects(manager.executeIn("rubby", "1"), /no language "rubby"; did you mean "ruby"\? known: python/);
    strictEqual(manager.isRuntimeLoaded("bash"), false);
    await manager.switchRuntime("bash");
    strictEqual(manager.getCurrentRuntime()?.name, "bash");
    const result = await manager.execute("echo hi; exit 3");
    deepStrictEqual([result.success, result.exitCode, result.output, result.state], [false, 3, "hi\n", "kept"]);
    deepStrictEqual(seen, ["bash info Loading bash", "bash success bash is ready", "bash stdout hi\n"]);
    const info = manager.listRuntimes().find(({ name }) => name === "bash");
    deepStrictEqual([info?.loaded, info?.config.timeout], [true, 30_000]);
    deepStrictEqual(await manager.complete("bash", "ech"), ["echo"]);
    await manager.unloadAll();
    strictEqual(manager.isRuntimeLoaded("bash"), false);
    strictEqual(manager.getCurrentRuntime(), null);
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
