/** The keyboard shortcuts of this page, in a window. */

import { Dialog } from "../parts/dialog.tsx";
import { nameKeys, showOver, useCommands } from "./commands.ts";

export function Keys() {
  const open = useCommands((state) => state.open === "keys");
  const groups = useCommands((state) => state.groups);
  if (!open) return null;
  const shown = [...groups].map(([group, commands]) => ({ group, commands: commands.filter(nameKeys) }))
    .filter(({ commands }) => commands.length > 0);
  return (
    <Dialog title="Keyboard shortcuts" close={() => showOver("")}>
      <div className="keys">
        {shown.map(({ group, commands }) => (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            <dl>
              {commands.map((command) => (
                <div key={command.label}>
                  <dt>{command.label}</dt>
                  <dd>
                    <kbd>{nameKeys(command)}</kbd>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
