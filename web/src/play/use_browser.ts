/** The engine of this page: opened when the first component needs it, with the files of the last time in it. */

import { useEffect, useState } from "react";
import { BrowserRunner } from "./engine/browser_runner.ts";
import { SavedFiles } from "./saved_files.ts";

export interface Browser {
  runner: BrowserRunner;
  /** Undefined where the browser keeps nothing. */
  saved?: SavedFiles;
}

export interface Opened {
  browser?: Browser;
  /** Why code cannot run in this browser. */
  problem?: string;
}

/** What is different then, and why. */
export const NOT_ISOLATED =
  "This page is not isolated from others: its host sends no COOP and COEP. Languages run apart: they cannot call each " +
  "other, most cannot ask for input, and Stop ends a language with its variables.";

let opening: Promise<Browser> | undefined;

/** `keeps` says whether files are kept over a reload. */
export function useBrowser(keeps: boolean): Opened {
  const [opened, setOpened] = useState<Opened>({});
  useEffect(() => {
    opening ??= open(keeps);
    opening.then((browser) => setOpened({ browser }), (error) => {
      opening = undefined;
      setOpened({ problem: error instanceof Error ? error.message : String(error) });
    });
  }, [keeps]);
  return opened;
}

async function open(keeps: boolean): Promise<Browser> {
  const runner = await BrowserRunner.open();
  const saved = keeps ? await SavedFiles.open(runner.files).catch(() => undefined) : undefined;
  return { runner, saved };
}
