/** The whole configuration, for the owner: each value, where it came from, and how it is set. */

import { useState } from "react";
import { listSettings } from "../../api/settings.ts";
import type { Setting, Settings } from "../../api/types.ts";
import { useAsk } from "../../api/use_ask.ts";
import { Loading } from "../../parts/notice.tsx";
import { OwnersFailure } from "./owners_failure.tsx";

export function ConfigSection() {
  const { value, problem, again } = useAsk("settings", listSettings);
  return (
    <>
      <h1>Configuration</h1>
      {problem && <OwnersFailure problem={problem} again={again} what="see the configuration" />}
      {!value && !problem && <Loading />}
      {value && <Places found={value} />}
      {value && <List settings={value.settings} />}
    </>
  );
}

function Places({ found: { file, looked_for, notes } }: { found: Settings }) {
  return (
    <>
      <p className="lead">
        {file
          ? (
            <>
              Read from <code>{file}</code>.
            </>
          )
          : (
            <>
              There is no file{looked_for.length > 0 && (
                <>
                  : looked for <code>{looked_for.join(", ")}</code>
                </>
              )}. <code>cloche config --template</code> prints one to begin with.
            </>
          )} Variables of the environment go before it. The server reads both when it starts.
      </p>
      {notes.map((note) => <p key={note} className="lead">{note}</p>)}
    </>
  );
}

function List({ settings }: { settings: Setting[] }) {
  const [search, setSearch] = useState("");
  const [changed, setChanged] = useState(false);
  const wanted = search.trim().toLowerCase();
  const shown = settings.filter((each) =>
    (!changed || each.source !== "default") &&
    `${each.section}.${each.name} ${each.about} ${each.variable}`.toLowerCase().includes(wanted)
  );
  const sections = [...new Set(shown.map(({ section }) => section))];
  return (
    <>
      <div className="row">
        <input
          type="search"
          className="grow"
          aria-label="Search in the settings"
          placeholder="Search in the settings"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <label className="row">
          <input type="checkbox" checked={changed} onChange={(event) => setChanged(event.target.checked)} />
          Only what is set
        </label>
      </div>
      {sections.length === 0 && <p className="faint nothing">No setting fits.</p>}
      {sections.map((section) => (
        <section key={section} aria-label={section} className="config-part">
          <h2 className="mono">[{section}]</h2>
          <dl>
            {shown.filter((each) => each.section === section).map((each) => <One key={each.name} setting={each} />)}
          </dl>
        </section>
      ))}
    </>
  );
}

function One({ setting: { name, value, source, variable, about } }: { setting: Setting }) {
  return (
    <div className="setting">
      <dt className="mono">{name}</dt>
      <dd>
        <code className={value === null ? "faint" : ""}>{value ?? "not set"}</code>
        {source !== "default" && <span className="badge info">{source}</span>}
        <p className="faint small">
          {about} <span className="mono">{variable}</span>
        </p>
      </dd>
    </div>
  );
}
