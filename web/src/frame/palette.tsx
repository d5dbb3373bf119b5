/** The command palette: everything that can be done here, found by typing a few letters. */

import { useState } from "react";
import { useLocation } from "wouter";
import { listSessions } from "../api/sessions.ts";
import { useAsk } from "../api/use_ask.ts";
import { Dialog } from "../parts/dialog.tsx";
import { type Command, nameKeys, showOver, useCommands } from "./commands.ts";

/** How many sessions the palette offers to open. */
const OFFERED = 50;

export function Palette() {
  const open = useCommands((state) => state.open === "palette");
  return open ? <OpenPalette /> : null;
}

function OpenPalette() {
  const groups = useCommands((state) => state.groups);
  const [wanted, setWanted] = useState("");
  const [at, setAt] = useState(0);
  const [, go] = useLocation();
  const sessions = useAsk("palette", (signal) => listSessions("", OFFERED, signal));
  const opening = (sessions.value?.sessions ?? []).map(({ id, title }): Command => ({
    label: title ? `${title} (${id.slice(0, 8)})` : id,
    act: () => go(`/s/${id}`),
  }));
  const close = () => showOver("");
  const found = [...groups, ["Open", opening] as const]
    .flatMap(([group, commands]) => commands.map((command) => ({ group, command })))
    .filter(({ group, command }) => command.act && !command.hidden && fits(`${group} ${command.label}`, wanted));
  const chosen = Math.min(at, found.length - 1);
  const choose = (place: number) => {
    setAt(place);
    document.getElementById(`command-${place}`)?.scrollIntoView({ block: "nearest" });
  };
  const run = (command: Command | undefined) => {
    close();
    command?.act?.();
  };
  return (
    <Dialog title="Commands" close={close}>
      <input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette"
        aria-activedescendant={`command-${chosen}`}
        aria-label="Find a command"
        placeholder="Find a command"
        value={wanted}
        onChange={(event) => {
          setWanted(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
          if (step !== undefined) choose(Math.max(0, Math.min(chosen + step, found.length - 1)));
          else if (event.key === "Enter") run(found[chosen]?.command);
          else return;
          event.preventDefault();
        }}
      />
      <ul className="palette" id="palette" role="listbox" aria-label="Commands">
        {found.map(({ group, command }, place) => (
          <li
            key={`${group} ${command.label}`}
            id={`command-${place}`}
            role="option"
            aria-selected={place === chosen}
            onClick={() => run(command)}
            onPointerMove={() => setAt(place)}
          >
            <span className="faint">{group}</span>
            <span className="clip">{command.label}</span>
            {nameKeys(command) && <kbd>{nameKeys(command)}</kbd>}
          </li>
        ))}
        {found.length === 0 && <li className="faint">Nothing is called that.</li>}
      </ul>
    </Dialog>
  );
}

/** Whether all letters that were typed come in this order. */
function fits(label: string, wanted: string): boolean {
  let from = 0;
  const lower = label.toLowerCase();
  return [...wanted.toLowerCase().replaceAll(" ", "")].every((letter) => {
    const at = lower.indexOf(letter, from);
    from = at + 1;
    return at >= 0;
  });
}
