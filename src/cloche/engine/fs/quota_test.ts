import { strictEqual, throws } from "node:assert/strict";
import { PlatformFiles } from "../platform/deno/files.ts";
import { changeFile } from "../platform/deno/platform.ts";
import { expectFailure, makeDice, pathExists, World, WRITE } from "../testing/harness_test.ts";
import { FolderFiles } from "./folder.ts";
import { Quota, QUOTA_BYTES } from "./quota.ts";

function used(shared: SharedArrayBuffer): number {
  return Number(new BigInt64Array(shared)[0]);
}

Deno.test("bytes are given out up to the limit exactly", () => {
  const shared = new SharedArrayBuffer(8);
  const quota = new Quota(shared, 100);
  quota.take(60);
  quota.take(40);
  expectFailure("ENOSPC", () => quota.take(1));
  strictEqual(used(shared), 100);
});

Deno.test("a refused request takes nothing", () => {
  const shared = new SharedArrayBuffer(8);
  const quota = new Quota(shared, 100);
  expectFailure("ENOSPC", () => quota.take(101));
  strictEqual(used(shared), 0);
  quota.take(100);
});

Deno.test("what is given back can be taken again", () => {
  const quota = new Quota(new SharedArrayBuffer(8), 100);
  quota.take(100);
  quota.take(-30);
  quota.take(30);
  expectFailure("ENOSPC", () => quota.take(1));
});

Deno.test("giving back always works, also over the limit", () => {
  const shared = new SharedArrayBuffer(8);
  new Quota(shared, 100).take(100);
  const smaller = new Quota(shared, 10);
  smaller.take(-50);
  expectFailure("ENOSPC", () => smaller.take(1));
  strictEqual(used(shared), 50);
});

Deno.test("nothing costs nothing, even when all is used", () => {
  const quota = new Quota(new SharedArrayBuffer(8), 0);
  quota.take(0);
  expectFailure("ENOSPC", () => quota.take(1));
});

Deno.test("sizes beyond 32 bits are counted", () => {
  const shared = new SharedArrayBuffer(8);
  const quota = new Quota(shared, 2 ** 40);
  quota.take(2 ** 39);
  quota.take(2 ** 39);
  strictEqual(used(shared), 2 ** 40);
  expectFailure("ENOSPC", () => quota.take(1));
});

Deno.test("workers with the same memory count together", () => {
  const shared = new SharedArrayBuffer(8);
  const [one, other] = [new Quota(shared, 10), new Quota(shared, 10)];
  one.take(6);
  expectFailure("ENOSPC", () => other.take(5));
  other.take(4);
  expectFailure("ENOSPC", () => one.take(1));
});

Deno.test("the sum never goes over the limit, in whatever order", () => {
  const roll = makeDice(3);
  const shared = new SharedArrayBuffer(8);
  const quota = new Quota(shared, 1000);
  let model = 0;
  for (let i = 0; i < 2000; i++) {
    const bytes = roll(400) - Math.min(model, roll(400));
    if (bytes > 0 && model + bytes > 1000) expectFailure("ENOSPC", () => quota.take(bytes));
    else {
      quota.take(bytes);
      model += bytes;
    }
    strictEqual(used(shared), model);
  }
});

Deno.test("names count besides bytes, and what could not be made does not", () => {
  const quota = new Quota(new SharedArrayBuffer(QUOTA_BYTES), 0, 2);
  strictEqual(quota.make(() => "made"), "made");
  throws(() =>
    quota.make(() => {
      throw new Error("in the way");
    }), /in the way/);
  quota.make(() => {});
  expectFailure("ENOSPC", () => quota.make(() => {}));
  quota.removed();
  quota.make(() => {});
});

Deno.test("whatever makes a name takes one, and whatever removes it gives it back", () => {
  using world = new World();
  const counts = new SharedArrayBuffer(QUOTA_BYTES);
  const names = () => Number(new BigInt64Array(counts)[1]);
  const { folder } = world.folders[0];
  const files = new FolderFiles(folder, new PlatformFiles(changeFile), new Quota(counts, 1000, 5));
  files.makeDirectory("dir");
  files.open("dir/a", WRITE).close();
  files.open("dir/a", WRITE).close();
  files.hardLink("dir/a", "b");
  files.makeLink("b", "link");
  strictEqual(names(), 4);
  expectFailure("EEXIST", () => files.makeDirectory("dir"));
  strictEqual(names(), 4);
  files.open("c", WRITE).close();
  expectFailure("ENOSPC", () => files.open("d", WRITE));
  strictEqual(pathExists(`${folder.host}/d`), false);
  files.rename("c", "b");
  strictEqual(names(), 4);
  for (const name of ["dir/a", "b", "link"]) files.removeFile(name);
  files.removeDirectory("dir");
  strictEqual(names(), 0);
});
