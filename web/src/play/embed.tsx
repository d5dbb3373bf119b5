/** Play within another page: an editor, what it prints, and nothing else. */

import { useEffect, useMemo, useState } from "react";
import { Editor } from "../editor/editor.tsx";
import { Button } from "../parts/button.tsx";
import { CodeRun, useRun } from "./code_run.ts";
import { EXAMPLES } from "./examples.ts";
import { isKnown, TITLES } from "./languages.ts";
import { markError } from "./parts/marks.ts";
import { OutputPane } from "./parts/output_pane.tsx";
import { RunStatus } from "./parts/run_status.tsx";
import { inWorkspace, unpackShared } from "./share.ts";
import { NOT_ISOLATED, useBrowser } from "./use_browser.ts";
import "./play.css";

export function Embed() {
  const { browser, problem } = useBrowser(false);
  const [language, setLanguage] = useState(firstLanguage);
  const [code, setCode] = useState(() => EXAMPLES[language]?.[0]?.code ?? "");
  const [note, setNote] = useState("");
  const run = useMemo(() => new CodeRun(), []);
  const view = useRun(run);
  useEffect(() => {
    unpackShared(new URL(location.href)).then((shared) => {
      if (!shared) return;
      if (isKnown(shared.language)) setLanguage(shared.language);
      setCode(shared.code);
      browser?.runner.files.importFiles(inWorkspace(shared.files));
    }).catch(() => setNote("The code in the address is damaged."));
  }, [browser]);
  const start = () => void (browser && run.run(browser.runner, language, code));
  const whole = document.documentElement.dataset["play"] ?? "play";
  return (
    <div className="play embed">
      <div className="play-bar row">
        <strong>{TITLES[language] ?? language}</strong>
        <Button look="main" disabled={view.running || !browser} onClick={start}>
          Run <kbd>Ctrl ⏎</kbd>
        </Button>
        <Button disabled={!view.running} onClick={() => run.stop()}>Stop</Button>
        <RunStatus view={view} />
        <div className="grow" />
        <a className="small" href={`./${whole}${location.search}${location.hash}`} target="_blank" rel="noopener">
          Open in Play
        </a>
      </div>
      {(note || problem) && (
        <p className="failure" role="alert">
          {note || `Code cannot run within this page: ${problem}`}
        </p>
      )}
      {!crossOriginIsolated && <p className="play-note small" role="note">{NOT_ISOLATED}</p>}
      <div className="play-panes">
        <Editor
          value={code}
          language={language}
          label="Code"
          lineNumbers
          onChange={setCode}
          onSubmit={start}
          diagnostics={markError(view.error)}
        />
        <OutputPane view={view} empty="What the code prints comes here." />
      </div>
    </div>
  );
}

function firstLanguage(): string {
  const wanted = new URLSearchParams(location.search).get("lang") ?? "";
  return isKnown(wanted) ? wanted : "python";
}
