/** tee. */
import { reasonOf } from "../../text/file_errors.ts";
import type { OpenStream } from "../descriptors/stream.ts";
import { defineTool } from "./tool/define.ts";
import { complain } from "./tool/tool.ts";

const LONG = { append: "a", "ignore-interrupts": "i" };

export const tee = defineTool("tee", { letters: "aip", long: LONG }, async ({ context, given }) => {
  let code = 0;
  const append = given.has("a");
  const files: OpenStream[] = [];
  for (const name of given.operands) {
    try {
      files.push(context.open(name, { read: false, write: true, create: true, truncate: !append, append }));
    } catch (error) {
      complain(context, `tee: ${name}: ${reasonOf(error)}`);
      code = 1;
    }
  }
  const input = context.fds.get(0);
  const outputs = [context.fds.get(1), ...files];
  try {
    for (let chunk = await input.read(65536); chunk !== undefined; chunk = await input.read(65536)) {
      for (const out of [...outputs]) await out.write(chunk);
    }
  } finally {
    for (const file of files) file.close();
  }
  return code;
});
