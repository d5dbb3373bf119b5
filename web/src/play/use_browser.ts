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

export const NOT_ISOLATED =
  "This page is not isolated from others (headers COOP and COEP), so that languages cannot share memory with it.";

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
  if (!crossOriginIsolated) throw new Error(NOT_ISOLATED);
  const runner = await BrowserRunner.open();
  const saved = keeps ? await SavedFiles.open(runner.files).catch(() => undefined) : undefined;
  return { runner, saved };
}
