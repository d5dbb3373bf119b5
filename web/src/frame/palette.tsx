/** The command palette: everything that can be done here, found by typing a few letters. */

import { useState } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { type Command, useCommands } from "./commands.ts";

export function Palette() {
  const open = useCommands((state) => state.open);
  return open ? <OpenPalette /> : null;
}

function OpenPalette() {
  const groups = useCommands((state) => state.groups);
  const [wanted, setWanted] = useState("");
  const [at, setAt] = useState(0);
  const close = () => useCommands.setState({ open: false });
  const found = [...groups].flatMap(([group, commands]) => commands.map((command) => ({ group, command })))
    .filter(({ group, command }) => fits(`${group} ${command.label}`, wanted));
  const chosen = Math.min(at, found.length - 1);
  const run = (command: Command | undefined) => {
    close();
    command?.act();
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
          if (event.key === "ArrowDown") setAt(Math.min(chosen + 1, found.length - 1));
          else if (event.key === "ArrowUp") setAt(Math.max(chosen - 1, 0));
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
            <span>{command.label}</span>
            {command.keys && <kbd>{command.keys}</kbd>}
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
