/** One file through several languages: pieces of code that run in order, and the file after each. */

import { useState } from "react";
import { Editor } from "../editor/editor.tsx";
import { Button } from "../parts/button.tsx";
import { CodeRun, useRun } from "./code_run.ts";
import { keep, readKept } from "./drafts.ts";
import type { Runner } from "./engine/runner.ts";
import { CHAIN, EXAMPLES } from "./examples.ts";
import { TITLES } from "./languages.ts";
import { markError } from "./parts/marks.ts";
import { OutputPane } from "./parts/output_pane.tsx";
import { RunStatus } from "./parts/run_status.tsx";
import type { Browser } from "./use_browser.ts";

interface Step {
  id: number;
  language: string;
  code: string;
  run: CodeRun;
  /** The file after this step. */
  after: string;
}

/** Characters of the file that are shown after a step. */
const SHOWN = 2000;

export interface ChainProps {
  runner: Runner;
  languages: string[];
  browser?: Browser;
  changed(): void;
}

export default function Chain({ runner, languages, browser, changed }: ChainProps) {
  const [steps, setSteps] = useState<Step[]>(() => readSteps().map(makeStep));
  const [file, setFile] = useState(() => readKept("chain.file") ?? "data.txt");
  const [current, setCurrent] = useState<CodeRun | null>(null);
  const change = (id: number, changes: Partial<Step>) =>
    setSteps((before) => keepSteps(before.map((each) => each.id === id ? { ...each, ...changes } : each)));
  const start = async () => {
    for (const { id } of steps) change(id, { after: "" });
    for (const { id, run, language, code } of steps) {
      setCurrent(run);
      const end = await run.run(runner, language, code);
      change(id, { after: browser ? readFile(browser, file) : "" });
      changed();
      if (!end?.ok) break;
    }
    setCurrent(null);
  };
  return (
    <div className="play-chain">
      <div className="row">
        <Button look="main" disabled={current !== null} onClick={() => void start()}>Run all</Button>
        <Button disabled={current === null} onClick={() => current?.stop()}>Stop</Button>
        {browser && (
          <label className="row">
            <span className="small">File that is shown after each step</span>
            <input
              value={file}
              onChange={({ target }) => {
                setFile(target.value);
                keep("chain.file", target.value);
              }}
            />
          </label>
        )}
        <Button
          onClick={() =>
            setSteps((before) =>
              keepSteps([...before, makeStep({ language: "bash", code: EXAMPLES["bash"]?.[0]?.code ?? "" })])
            )}
        >
          Add a step
        </Button>
      </div>
      <ol>
        {steps.map((step, at) => (
          <StepView
            key={step.id}
            step={step}
            number={at + 1}
            languages={languages}
            busy={current !== null}
            change={(changes) => change(step.id, changes)}
            remove={() => setSteps((before) => keepSteps(before.filter(({ id }) => id !== step.id)))}
            start={() => void start()}
            file={file}
          />
        ))}
      </ol>
    </div>
  );
}

interface StepProps {
  step: Step;
  number: number;
  languages: string[];
  busy: boolean;
  file: string;
  change(changes: Partial<Step>): void;
  remove(): void;
  start(): void;
}

function StepView({ step, number, languages, busy, file, change, remove, start }: StepProps) {
  const view = useRun(step.run);
  return (
    <li>
      <div className="row">
        <span className="badge">{number}</span>
        <select
          aria-label={`Language of step ${number}`}
          value={step.language}
          disabled={busy}
          onChange={({ target }) => change({ language: target.value })}
        >
          {languages.map((name) => <option key={name} value={name}>{TITLES[name] ?? name}</option>)}
        </select>
        <RunStatus view={view} />
        <div className="grow" />
        <Button look="quiet" label={`Remove step ${number}`} disabled={busy} onClick={remove}>✕</Button>
      </div>
      <Editor
        value={step.code}
        language={step.language}
        label={`Code of step ${number}`}
        onChange={(code) => change({ code })}
        onSubmit={start}
        diagnostics={markError(view.error)}
      />
      {(view.entries.length > 0 || view.question) && <OutputPane view={view} empty="" />}
      {step.after && (
        <div className="play-after">
          <span className="faint small">{file} after this step</span>
          <pre>{step.after}</pre>
        </div>
      )}
    </li>
  );
}

let last = 0;

function makeStep({ language, code }: { language: string; code: string }): Step {
  return { id: ++last, language, code, run: new CodeRun(), after: "" };
}

function readSteps(): { language: string; code: string }[] {
  try {
    return JSON.parse(readKept("chain") ?? "null") ?? CHAIN;
  } catch {
    return CHAIN;
  }
}

function keepSteps(steps: Step[]): Step[] {
  keep("chain", JSON.stringify(steps.map(({ language, code }) => ({ language, code }))));
  return steps;
}

function readFile({ runner: { files } }: Browser, name: string): string {
  const path = `/workspace/${name}`;
  if (!(path in files.sizes())) return "(there is no such file)";
  return new TextDecoder().decode(files.exportFiles(path)[path]?.subarray(0, SHOWN));
}
