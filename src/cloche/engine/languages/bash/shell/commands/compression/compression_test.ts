import { Bench } from "../../../harness_test.ts";

/** "The quick brown fox" as the real tools compress it. */
const SAMPLES: Record<string, string> = {
  "xz":
    "/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4ABBADVdACoaCKIDJWbxS3jFogX/LubZ0iAarTT44h3oQTb63AZpuzzkEDQnCeuzZuPtN0LX91M2IHwAAAAAANznWFQDWBv9AAFRQoL59BsftvN9AQAAAAAEWVo=",
  "bzip2":
    "QlpoOTFBWSZTWckLmBYAAAfTgAAQQAEEAD////AgAFCgAAAAAlTRAA0ZDJmkacCwF2mhN3OenaERIsq0lToqXeCNUk55Mo4h8Vcor2Frfi7kinChIZIXMCw=",
  "zstd -q": "KLUv/QRYvQEA9AJUaGUgcXVpY2sgYnJvd24gZm94IGp1bXBzIG92ZXIgdGhlIGxhenkgZG9nLiAuCgEAhYkqA6PrCJk=",
  "zstd -q -19": "KLUv/QRovQEA9AJUaGUgcXVpY2sgYnJvd24gZm94IGp1bXBzIG92ZXIgdGhlIGxhenkgZG9nLiAuCgEAhYkqA6PrCJk=",
  "xz --format=lzma":
    "XQAAgAD//////////wAqGgiiAyVm8Ut4xaIF/y7m2dIgGq00+OId6EE2+twGabs85BA0Jwnrs2bj7TdC1/dTOSxPk//+hkAA",
};
const TEXT = "The quick brown fox jumps over the lazy dog. The quick brown fox.\n";

Deno.test("files of the real tools are read", async () => {
  await using bench = new Bench();
  for (const [tool, data] of Object.entries(SAMPLES)) {
    const { out, err } = await bench.run(`echo ${data} | base64 -d | ${tool.split(" ")[0]} -dc`);
    if (out !== TEXT) throw new Error(`${tool}: ${JSON.stringify(out)} ${err}`);
  }
});

Deno.test("what is compressed can be read again", async () => {
  await using bench = new Bench();
  const sources = ["seq 1 20000", "head -c 200000 /dev/urandom", "printf ''", "printf a", "yes abcabd | head -n 30000"];
  for (const source of sources) {
    for (const tool of ["xz", "bzip2", "zstd"]) {
      const { out, err } = await bench.run(
        `${source} > f; ${tool} -qkf f; ${tool} -dc f.* | cmp - f && echo same; rm f*`,
      );
      if (out !== "same\n") throw new Error(`${source} | ${tool}: ${out}${err}`);
    }
  }
});

Deno.test("files are replaced, and damage is told", async () => {
  await using bench = new Bench();
  const cases: [string, string][] = [
    ["echo hi > f; xz f; ls f f.* 2>&1 | grep -v cannot; unxz f.xz; cat f", "f.xz\nhi\n"],
    ["rm -f f f.*; echo hi > f; bzip2 f; ls f f.* 2>&1 | grep -v cannot; bunzip2 f.bz2; cat f", "f.bz2\nhi\n"],
    ["rm -f f f.*; echo hi > f; zstd -q f; ls f f.*", "f\nf.zst\n"],
    ["echo foo | xz -d 2>&1; echo $?", "xz: (stdin): File format not recognized\n1\n"],
    ["echo foo | bzip2 -d 2>&1; echo $?", "bzip2: (stdin) is not a bzip2 file.\n2\n"],
  ];
  for (const [script, expected] of cases) {
    const { out } = await bench.run(script);
    if (out !== expected) throw new Error(`${script}: ${JSON.stringify(out)} instead of ${JSON.stringify(expected)}`);
  }
});
