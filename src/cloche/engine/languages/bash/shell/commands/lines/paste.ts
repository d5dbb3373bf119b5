/** paste. */
import type { OpenStream } from "../../descriptors/stream.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import type { Tool } from "../tool/tool.ts";
import { LineSource } from "./line_source.ts";

const USAGE = { letters: "d:sz", long: { "delimiters=": "d", serial: "s", "zero-terminated": "z" } };
const ESCAPES: Record<string, string> = { n: "\n", t: "\t", b: "\b", f: "\f", r: "\r", v: "\v", "0": "", "\\": "\\" };

function readDelimiters(text: string): string[] {
  if (/(^|[^\\])(\\\\)*\\$/.test(text)) {
    throw new CommandError(`delimiter list ends with an unescaped backslash: ${text}`);
  }
  const found = text.match(/\\.|[\s\S]/gu) ?? [];
  const list = found.map((part) => part.length > 1 && part[0] === "\\" ? ESCAPES[part[1]] ?? part[1] : part);
  return list.length > 0 ? list : [""];
}

const paste = defineTool("paste", USAGE, async (tool) => {
  const { given } = tool;
  const delimiters = readDelimiters(given.get("d") ?? "\t");
  const end = given.has("z") ? 0 : 10;
  const mark = String.fromCharCode(end);
  if (given.has("s")) return await pasteSerially(tool, delimiters, end);
  const opened: OpenStream[] = [];
  const shared = new LineSource(tool, tool.open("-"), end);
  const sources = tool.inputs.map((name) => {
    if (name === "-") return shared;
    const stream = tool.open(name);
    opened.push(stream);
    return new LineSource(tool, stream, end);
  });
  try {
    for (;;) {
      let any = false;
      let row = "";
      for (const [i, source] of sources.entries()) {
        const next = source.next();
        const line = next instanceof Promise ? await next : next;
        if (line !== undefined) any = true;
        row += (i === 0 ? "" : delimiters[(i - 1) % delimiters.length]) + (line ?? "");
      }
      if (!any) return;
      tool.out.write(row + mark);
      if (tool.out.full) await tool.out.flush();
    }
  } finally {
    for (const stream of opened) stream.close();
  }
});

async function pasteSerially(tool: Tool, delimiters: string[], end: number): Promise<void> {
  await tool.eachFile(tool.inputs, async (stream) => {
    let count = 0;
    for await (const lines of tool.batches(stream, end)) {
      for (const line of lines) {
        tool.out.write((count === 0 ? "" : delimiters[(count - 1) % delimiters.length]) + line);
        count++;
      }
    }
    tool.out.write(String.fromCharCode(end));
  });
}

export const commands = [paste];
