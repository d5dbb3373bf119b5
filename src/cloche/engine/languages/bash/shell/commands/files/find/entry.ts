/** What find's tests see of a file. */
import type { Stat } from "../../../../../../fs/files.ts";
import type { Later } from "../../../task.ts";
import type { FileTool } from "../file_tool.ts";

export interface Entry {
  /** As it is shown: the starting point and what lies below it. */
  path: string;
  whole: string;
  start: string;
  depth: number;
  /** Of what a link leads to, where links are followed. */
  stat: Stat;
  /** Set by -prune: not to be entered. */
  pruned: boolean;
}

export type Test = (entry: Entry) => Later<boolean>;

/** What the whole search shares. */
export interface Search {
  readonly tool: FileTool;
  readonly now: number;
  readonly zone: string | undefined;
  links: "never" | "arguments" | "always";
  least: number;
  most: number;
  depthFirst: boolean;
  sameDevice: boolean;
  dayStart: boolean;
  regexType: string;
  /** Whether something prints or acts; if not, -print is added. */
  acts: boolean;
  /** Run at the end: what `-exec +` has collected, open files. */
  readonly finish: (() => Later<void>)[];
}

/** -quit: nothing more is looked at. */
export class SearchStopped extends Error {}
