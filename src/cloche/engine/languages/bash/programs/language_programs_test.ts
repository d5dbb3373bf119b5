import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { ExecRequest, Language } from "../../../protocol.ts";
import type { ProgramEnd, ProgramStreams } from "../../../worker/programs/streams.ts";
import type { LanguageWorker } from "../../language.ts";
import { Bench } from "../harness_test.ts";
import { LanguagePrograms } from "./language_programs.ts";

type Run = (request: ExecRequest, streams: ProgramStreams, language: Language) => Promise<ProgramEnd>;

/** A shell with `python3`, which has processes, and `ruby`, which has none; both do what `run` does. */
function makeBench(run: Run): Bench {
  const worker = {
    outputBuffer: { flush() {} },
    spawn: (_: number, language: Language, request: ExecRequest, streams: ProgramStreams) =>
      run(request, streams, language),
  } as unknown as LanguageWorker;
  const { start } = new LanguagePrograms(worker, () => 1, () => 200);
  const command = (name: string, language: Language) => ({
    name,
    run: (context: Parameters<typeof start>[2]) => start(language, [...context.argv], context),
  });
  return new Bench([command("python3", "python"), command("ruby", "ruby")]);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Prints until nobody reads; its pieces arrive as messages do. */
const flood: Run = async (_, streams) => {
  try {
    for (let n = 0; n < 10_000; n++) {
      if (n % 10 === 0) await new Promise((resolve) => setTimeout(resolve));
      await streams.write("stdout", encoder.encode(`${n}\n`.repeat(1000)));
    }
  } catch {
    return { exitCode: 141 };
  }
  return { exitCode: 0 };
};

Deno.test("a program that prints is ended by the reader that leaves", async () => {
  for (const name of ["python3", "ruby"]) {
    await using bench = makeBench(flood);
    strictEqual(await bench.out(`${name} | head -2; echo \${PIPESTATUS[@]}`), "0\n0\n141 0\n");
  }
});

Deno.test("a process reads what it wants, and leaves the rest to others", async () => {
  await using bench = makeBench(async (_, streams) => {
    const data = await streams.read?.(2);
    await streams.write("stdout", data ?? encoder.encode("end"));
    return { exitCode: 0 };
  });
  strictEqual(await bench.out("printf 'abcdef' | { python3; echo; cat; }"), "ab\ncdef");
  strictEqual(await bench.out("python3 < /dev/null"), "end");
});

Deno.test("a program without a process gets its input whole, or the start of an endless one", async () => {
  const seen: string[] = [];
  let ended = false;
  await using bench = makeBench((request) => {
    seen.push(`${request.stdin?.length} ${decoder.decode(request.stdin?.subarray(0, 2))}`);
    return Promise.resolve({ exitCode: 0, ended });
  });
  strictEqual((await bench.run("printf abc | ruby; yes | ruby")).code, 0);
  ended = true;
  const { code, err } = await bench.run("yes | ruby");
  deepStrictEqual([code, err], [1, "ruby: yes has no end, and ruby takes all of its input at once\n"]);
  deepStrictEqual(seen, ["3 ab", "1048576 y\n", "1048576 y\n"]);
});

Deno.test("streams go where the shell says", async () => {
  await using bench = makeBench(async (request, streams) => {
    await streams.write("stdout", encoder.encode(`live=${request.live} merge=${request.merge}\n`));
    await streams.write("stderr", encoder.encode("e\n"));
    return { exitCode: 3 };
  });
  strictEqual(await bench.out("ruby 2>/dev/null; echo $?"), "live=false merge=false\n3\n");
  strictEqual(await bench.out("ruby > f 2>&1; cat f"), "live=false merge=true\ne\n");
});
