import { packShared, unpackShared } from "./share.ts";

function assertEquals(found: unknown, wanted: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw new Error(`${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`);
  }
}

Deno.test("what was packed into an address is unpacked from it", async () => {
  const shared = { language: "python", code: "print('ä+/=')\n", files: { "a b.txt": new Uint8Array([0, 255, 10]) } };
  const address = new URL(`http://host/play?lang=python#${await packShared(shared)}`);
  assertEquals(await unpackShared(address), shared);
});

Deno.test("text is compressed", async () => {
  const packed = await packShared({ language: "lua", code: "print(1)\n".repeat(1000), files: {} });
  assertEquals(packed.length < 300, true);
});

Deno.test("an address without code holds nothing", async () => {
  assertEquals(await unpackShared(new URL("http://host/play?lang=lua#")), undefined);
});

Deno.test("damaged code is an error", async () => {
  const failed = await unpackShared(new URL("http://host/play#code=AAAA")).then(() => false, () => true);
  assertEquals(failed, true);
});
