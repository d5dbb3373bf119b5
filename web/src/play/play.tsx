/** Play: a piece of code, run in this browser or at the server, with files that all languages share. */

import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { Editor } from "../editor/editor.tsx";
import { useOwnCommands } from "../frame/commands.ts";
import { Button } from "../parts/button.tsx";
import { Loading } from "../parts/notice.tsx";
import { CodeRun, useRun } from "./code_run.ts";
import { keep, keepDraft, readDraft, readKept } from "./drafts.ts";
import { ServerRunner } from "./engine/server_runner.ts";
import { EXAMPLES } from "./examples.ts";
import { isKnown, TITLES } from "./languages.ts";
import { FilesPane } from "./parts/files_pane.tsx";
import { markError } from "./parts/marks.ts";
import { OutputPane } from "./parts/output_pane.tsx";
import { RunStatus } from "./parts/run_status.tsx";
import { inWorkspace, unpackShared } from "./share.ts";
import { NOT_ISOLATED, useBrowser } from "./use_browser.ts";
import "./play.css";

const ShareDialog = lazy(() => import("./parts/share_dialog.tsx"));
const Chain = lazy(() => import("./chain.tsx"));

const server = new ServerRunner();

/** `withServer` says whether code may run at a server too. */
export function Play({ withServer }: { withServer: boolean }) {
  const opened = useBrowser(true);
  const { browser } = opened;
  const [language, setLanguage] = useState(firstLanguage);
  const [code, setCode] = useState(() => readDraft(language));
  const [where, setWhere] = useState<"browser" | "server">("browser");
  const [chained, setChained] = useState(false);
  const [sharing, setSharing] = useState(false);
  const [note, setNote] = useState("");
  const [runs, setRuns] = useState(0);
  const run = useMemo(() => new CodeRun(), []);
  const view = useRun(run);

  const choose = (name: string) => {
    setLanguage(name);
    setCode(readDraft(name));
    keep("language", name);
  };
  const type = (text: string) => {
    setCode(text);
    keepDraft(language, text);
  };
  useEffect(() => {
    unpackShared(new URL(location.href)).then((shared) => {
      if (!shared) return;
      if (isKnown(shared.language)) setLanguage(shared.language);
      setCode(shared.code);
      browser?.runner.files.importFiles(inWorkspace(shared.files));
      setRuns((before) => before + 1);
    }).catch(() => setNote("The code in the address is damaged."));
  }, [browser]);

  const runner = where === "server" ? server : browser?.runner;
  const start = async () => {
    if (!runner) return;
    await run.run(runner, language, code);
    setRuns((before) => before + 1);
  };
  useOwnCommands("Play", [
    { label: "Run", keys: "Ctrl Enter", act: () => void start() },
    { label: "Stop", act: () => run.stop() },
    { label: chained ? "One piece of code" : "One file through several languages", act: () => setChained(!chained) },
    { label: "Share", act: () => setSharing(true) },
  ]);
  const languages = browser?.runner.site.index.languages ?? Object.keys(TITLES);
  return (
    <div className="play">
      <div className="play-bar row">
        <select
          aria-label="Language"
          value={language}
          onChange={({ target }) => choose(target.value)}
          disabled={view.running}
        >
          {languages.map((name) => <option key={name} value={name}>{TITLES[name] ?? name}</option>)}
        </select>
        {withServer && (
          <select
            aria-label="Where it runs"
            value={where}
            onChange={({ target }) => setWhere(target.value as typeof where)}
          >
            <option value="browser">in this browser</option>
            <option value="server">at the server</option>
          </select>
        )}
        {!chained && (
          <>
            <Button look="main" disabled={view.running || !runner} onClick={() => void start()}>
              Run <kbd>Ctrl ⏎</kbd>
            </Button>
            <Button disabled={!view.running} onClick={() => run.stop()}>Stop</Button>
            <Examples language={language} choose={type} />
          </>
        )}
        {!chained && <RunStatus view={view} />}
        <div className="grow" />
        <Button aria-pressed={chained} onClick={() => setChained(!chained)}>Chain</Button>
        <Button onClick={() => setSharing(true)}>Share</Button>
      </div>
      {note && <p className="failure" role="alert">{note}</p>}
      {!crossOriginIsolated && where === "browser" && <p className="play-note small" role="note">{NOT_ISOLATED}</p>}
      {opened.problem && where === "browser" && <NoBrowser problem={opened.problem} withServer={withServer} />}
      {chained && runner
        ? (
          <Suspense fallback={<Loading />}>
            <Chain runner={runner} languages={languages} browser={browser} changed={() => setRuns((now) => now + 1)} />
          </Suspense>
        )
        : (
          <div className="play-panes">
            <Editor
              value={code}
              language={language}
              label="Code"
              lineNumbers
              onChange={type}
              onSubmit={() => void start()}
              diagnostics={markError(view.error)}
            />
            <OutputPane view={view} empty="What the code prints comes here." />
          </div>
        )}
      {where === "server" && server.sid && (
        <p className="small faint play-session">
          Runs in <a href={`./s/${server.sid}`}>this session</a>, with the files that are there.
        </p>
      )}
      {where === "browser" && (
        <p className="small faint">
          In the browser there is no network, and packages cannot be installed{withServer
            ? "; at the server they can"
            : ""}.
        </p>
      )}
      {where === "browser" && browser && <FilesPane browser={browser} changed={runs} />}
      {sharing && (
        <Suspense fallback={null}>
          <ShareDialog
            language={language}
            code={code}
            files={browser?.runner.files}
            close={() => setSharing(false)}
          />
        </Suspense>
      )}
    </div>
  );
}

function Examples({ language, choose }: { language: string; choose(code: string): void }) {
  const examples = EXAMPLES[language] ?? [];
  return (
    <select
      aria-label="Examples"
      value=""
      onChange={({ target }) => {
        const chosen = examples.find(({ title }) => title === target.value);
        if (chosen) choose(chosen.code);
      }}
    >
      <option value="" disabled>Examples</option>
      {examples.map(({ title }) => <option key={title}>{title}</option>)}
    </select>
  );
}

function NoBrowser({ problem, withServer }: { problem: string; withServer: boolean }) {
  return (
    <div className="failure" role="alert">
      <strong>Code cannot run in this browser.</strong>
      <span>{problem}{withServer ? " Choose “at the server”." : ""}</span>
    </div>
  );
}

function firstLanguage(): string {
  const wanted = new URLSearchParams(location.search).get("lang") ?? readKept("language") ?? "";
  return isKnown(wanted) ? wanted : "python";
}
