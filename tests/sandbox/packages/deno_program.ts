/** A program that holds the engine itself, as a stranger would write it: `PYTHON WORKSPACE ENGINE STEPS`. */

const [python, workspace, engine, steps] = Deno.args;
const { PythonHost } = await import(`${engine}/platform/deno/python_host.ts`);
const { denoConfig, denoPlatform } = await import(`${engine}/platform/deno/platform.ts`);
const { RuntimeManager } = await import(`${engine}/client/manager.ts`);

const host = new PythonHost(python, `${workspace}/packages`);
const places = { ...(await host.places), workspace };
const manager = RuntimeManager.connect(denoPlatform(places, host), denoConfig(places));
let said: string[] = [];
manager.setOutputCallback(({ message, type }: { message: string; type: string }) => said.push(`${type}: ${message}`));
for (const { verb, language, args, options } of JSON.parse(steps)) {
  let value: unknown;
  try {
    value = verb === "install"
      ? await manager.install(language, ...args)
      : (await manager.executeIn(language, args[0], options)).returnValue;
  } catch (error) {
    value = `rejected: ${(error as Error).message}`;
  }
  console.log(JSON.stringify({ value: value ?? null, said }));
  said = [];
}
await manager.unloadAll();
await host.close();
Deno.exit(0);
