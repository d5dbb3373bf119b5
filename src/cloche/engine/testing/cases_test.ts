import { deepStrictEqual, ok } from "node:assert/strict";
import { type Case, runCase } from "./cases.ts";
import { denoConfig, denoPlatform, type EnginePaths } from "../platform/deno/platform.ts";
import { Scratch } from "./harness_test.ts";
import { LANGUAGES } from "../languages/catalog.ts";
import { RuntimeManager } from "../client/manager.ts";

/** Where `cloche fetch all` puts everything. */
const places = JSON.parse(Deno.env.get("CLOCHE_PLACES") ?? "null") as Omit<EnginePaths, "workspace"> | null;

function connect(scratch: Scratch): RuntimeManager {
  ok(places, "set CLOCHE_PLACES to what scripts/engine_test_paths.py prints");
  const all = { ...places, workspace: scratch.path };
  return RuntimeManager.connect(denoPlatform(all), denoConfig(all));
}

const leaky = { sanitizeOps: false, sanitizeResources: false };

const folder = new URL("../languages/", import.meta.url);

for (const language of LANGUAGES) {
  Deno.test({
    ...leaky,
    name: `cases of ${language}`,
    fn: async (t) => {
      using scratch = new Scratch();
      const manager = connect(scratch);
      const write = (path: string, text: string) => scratch.write(path.slice(1), text);
      const cases = JSON.parse(Deno.readTextFileSync(new URL(`${language}/cases.json`, folder))) as Case[];
      for (const each of cases) {
        await t.step(each.name, async () => deepStrictEqual(await runCase({ manager, write }, language, each), []));
      }
      await manager.unloadAll();
    },
  });
}
