/** The files that all languages share: saved to the computer, added from it, removed. */

import { useEffect, useRef, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { describeSize } from "../../parts/when.ts";
import { saveToComputer } from "../downloads.ts";
import type { Browser } from "../use_browser.ts";

const ROOT = "/workspace/";
/** Bytes of one file that is added. */
const LARGEST = 256 << 20;

/** `changed` grows when code may have changed files. */
export function FilesPane({ browser, changed }: { browser: Browser; changed: number }) {
  const { files } = browser.runner;
  const [round, setRound] = useState(0);
  const [trouble, setTrouble] = useState("");
  const chooser = useRef<HTMLInputElement>(null);
  const store = async (done = "") => {
    setRound((before) => before + 1);
    const full = await browser.saved?.save().then(() => "", describeFull);
    setTrouble([done, full].filter(Boolean).join(" "));
  };
  useEffect(() => void store(), [changed]);
  const add = async (chosen: Iterable<File>) => {
    const refused: string[] = [];
    for (const file of chosen) {
      if (file.size > LARGEST) refused.push(`${file.name} is larger than ${describeSize(LARGEST)}.`);
      else files.importFiles({ [ROOT + file.name]: new Uint8Array(await file.arrayBuffer()) });
    }
    await store(refused.join(" "));
  };
  useDrops(add);
  const remove = (paths: string[]) => {
    for (const path of paths) files.removeFile(path);
    void store();
  };
  const rows = Object.entries(files.sizes()).sort(([a], [b]) => a < b ? -1 : 1);
  return (
    <section className="play-files" aria-label="Files" data-round={round}>
      <div className="row">
        <h2>Files</h2>
        <span className="faint small grow">
          in /workspace, for every language{browser.saved ? "; kept in this browser" : "; gone with the page"}
        </span>
        <Button onClick={() => chooser.current?.click()}>Add files</Button>
        {rows.length > 0 && (
          <Button
            look="quiet"
            onClick={() => confirm("Remove all files of Play?") && remove(rows.map(([path]) => path))}
          >
            Clear
          </Button>
        )}
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          aria-label="Files to add"
          onChange={({ target }) => {
            void add([...target.files ?? []]);
            target.value = "";
          }}
        />
      </div>
      {trouble && <p className="failure" role="alert">{trouble}</p>}
      {rows.length === 0 && <p className="faint small">None yet. Drop files on the page to add them.</p>}
      <ul>
        {rows.map(([path, bytes]) => {
          const name = path.slice(ROOT.length);
          return (
            <li key={path}>
              <button
                type="button"
                className="link mono clip"
                title={`Save ${path}`}
                onClick={() => saveToComputer(name, files.exportFiles(path)[path] ?? new Uint8Array())}
              >
                {name}
              </button>
              <span className="faint small">{describeSize(bytes)}</span>
              <Button look="quiet" label={`Remove ${name}`} onClick={() => remove([path])}>✕</Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function describeFull(error: unknown): string {
  const full = error instanceof DOMException && error.name === "QuotaExceededError";
  return full
    ? "The browser's storage is full: these files will be gone with the page. Remove some, or save them."
    : `The browser could not keep the files: ${error instanceof Error ? error.message : error}`;
}

/** Takes files that are dropped anywhere on the page. */
function useDrops(add: (files: Iterable<File>) => void): void {
  const latest = useRef(add);
  latest.current = add;
  useEffect(() => {
    const over = (event: DragEvent) => {
      event.preventDefault();
      document.body.classList.toggle("dropping", event.type === "dragover");
    };
    const drop = (event: DragEvent) => {
      over(event);
      latest.current(event.dataTransfer?.files ?? []);
    };
    const types = { dragover: over, dragleave: over, drop };
    for (const [type, act] of Object.entries(types)) addEventListener(type, act as EventListener);
    return () => {
      for (const [type, act] of Object.entries(types)) removeEventListener(type, act as EventListener);
    };
  }, []);
}
