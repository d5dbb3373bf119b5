import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { openAsset } from "../platform/deno/assets.ts";
import { expectFailure, READ, Scratch, WRITE } from "../testing/harness_test.ts";
import { AssetFiles } from "./asset_files.ts";

Deno.test("single files make a folder that can be read and not changed", () => {
  using scratch = new Scratch();
  const path = scratch.write("library.zip", "0123456789");
  const files = new AssetFiles(openAsset, { "lib.zip": path });
  deepStrictEqual(files.list(""), [{ name: "lib.zip", kind: "file" }]);
  deepStrictEqual([files.lstat("").kind, files.lstat("/lib.zip").size], ["directory", 10]);
  const file = files.open("/lib.zip", READ);
  const data = new Uint8Array(6);
  deepStrictEqual([file.read(data, 7), file.read(data, 20), file.stat().size], [3, 0, 10]);
  strictEqual(new TextDecoder().decode(data.subarray(0, 3)), "789");
  file.close();
  expectFailure("ENOENT", () => files.lstat("/other"));
  expectFailure("EROFS", () => files.open("/lib.zip", WRITE));
  expectFailure("EROFS", () => files.removeFile("/lib.zip"));
  expectFailure("EROFS", () => file.write(data, 0));
});
