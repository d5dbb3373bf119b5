/** The combined diff of a merge, `diff --cc`: what the result has that no parent had. */
import { fromArray } from "../../text/byte_strings.ts";
import type { Item } from "../repository/objects.ts";
import { quotePath } from "../repository/paths.ts";
import type { Repo } from "../repository/repository.ts";
import type { Change } from "../repository/trees.ts";
import { readItem } from "../repository/worktree_scan.ts";
import { type CombinedLine, combineTexts, markHunks } from "./combined_lines.ts";
import { isBinary } from "./hunks.ts";

const COMMENT = 40;
const ABBREVIATED = 7;

/** A, D or M for each parent. */
export function combinedLetters({ versions = [], new: result }: Change): string {
  return versions.map((parent) => !parent ? "A" : !result ? "D" : "M").join("");
}

export async function renderCombined(repo: Repo, change: Change, context: number): Promise<string> {
  const { path, versions: parents = [], new: result, work } = change;
  const datas: Uint8Array[] = [];
  for (const item of [...parents, result]) datas.push(item ? await readItem(repo, path, item) : new Uint8Array());
  const modes = parents.some((parent) => parent?.mode !== result?.mode);
  const head = combinedHead(change, modes);
  if (datas.some(isBinary)) return `${head}Binary files differ\n`;
  const texts = datas.map(fromArray);
  const lines = combineTexts(texts.slice(0, -1), texts[texts.length - 1]);
  markHunks(lines, parents.length, context);
  const shown = lines.some((line) => line.shown);
  if (!shown && !modes && !work) return "";
  const from = parents.some(Boolean) ? quotePath(`a/${path}`) : "/dev/null";
  const to = result ? quotePath(`b/${path}`) : "/dev/null";
  return shown || work ? `${head}--- ${from}\n+++ ${to}\n${renderHunks(lines, parents.length)}` : head;
}

function combinedHead({ path, versions: parents = [], new: result, work }: Change, modes: boolean): string {
  const short = (item: Item | undefined) => (item?.oid ?? "0".repeat(40)).slice(0, ABBREVIATED);
  const octal = (item: Item | undefined) => (item?.mode ?? 0).toString(8).padStart(6, "0");
  const ends = `${parents.map(short).join(",")}..${short(work ? undefined : result)}`;
  const head = `diff --cc ${quotePath(path)}\nindex ${ends}\n`;
  if (!modes) return head;
  if (!result) return `${head}deleted file mode ${parents.map(octal).join(",")}\n`;
  if (!parents.some(Boolean)) return `${head}new file mode ${octal(result)}\n`;
  return `${head}mode ${parents.map(octal).join(",")}..${octal(result)}\n`;
}

function renderHunks(lines: CombinedLine[], versions: number): string {
  const marks = "@".repeat(versions + 1);
  let text = "";
  let comment = "";
  for (let at = 0; at < lines.length;) {
    if (!lines[at].shown) {
      // git leaves out its last letter.
      if (/^[A-Za-z_$]/.test(lines[at].text)) comment = ` ${lines[at].text.slice(0, COMMENT).trimEnd().slice(0, -1)}`;
      at++;
      continue;
    }
    let end = at;
    while (end < lines.length && lines[end].shown) end++;
    text += `${marks}${rangesOf(lines, at, end, versions)} ${marks}${comment}\n`;
    for (; at < end; at++) text += renderLine(lines[at], versions, at === lines.length - 1);
    comment = "";
  }
  return text;
}

function rangesOf(lines: CombinedLine[], start: number, end: number, versions: number): string {
  const last = lines[lines.length - 1];
  let ranges = "";
  for (let n = 0; n < versions; n++) {
    const first = lines[start].numbers[n];
    const after = lines[end]?.numbers[n] ?? last.numbers[n] + last.lost.filter(({ had }) => had & (1 << n)).length;
    ranges += ` -${first},${after - first}`;
  }
  return `${ranges} +${start + 1},${Math.min(end, lines.length - 1) - start}`;
}

function renderLine({ text, lacking, lost, plain }: CombinedLine, versions: number, end: boolean): string {
  const marks = (bits: number, mark: string) =>
    Array.from({ length: versions }, (_, n) => bits & (1 << n) ? mark : " ").join("");
  const gone = plain ? [] : lost.map((line) => `${marks(line.had, "-")}${line.text}\n`);
  return gone.join("") + (end ? "" : `${marks(lacking, "+")}${text}\n`);
}
