/** A window over the page, closed by Escape, by its cross or by a click beside it. */

import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "./button.tsx";

export function Dialog({ title, close, children }: { title: string; close(): void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    // What one came for, and not the cross.
    dialog.current?.querySelector<HTMLElement>("input, textarea, select")?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-label={title}
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <header>
        <h2>{title}</h2>
        <Button look="quiet" label="Close" onClick={close}>✕</Button>
      </header>
      {children}
    </dialog>
  );
}
