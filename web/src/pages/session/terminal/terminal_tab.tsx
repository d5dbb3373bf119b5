/** A terminal on the session's one shell; xterm is loaded with it. */

import { FitAddon } from "@xterm/addon-fit";
import { type ITheme, Terminal } from "@xterm/xterm";
import { useEffect, useRef, useState } from "react";
import type { Problem } from "../../../api/client.ts";
import type { SessionStore } from "../../../events/session_store.ts";
import { useOwnCommands } from "../../../frame/commands.ts";
import { Failure } from "../../../parts/notice.tsx";
import { type Paper, Screen } from "./screen.ts";
import { Shell } from "./shell.ts";
import "@xterm/xterm/css/xterm.css";
import "./terminal.css";

/** Rows that one can scroll back to. */
const SCROLLBACK = 5000;

export default function TerminalTab({ store }: { store: SessionStore }) {
  const place = useRef<HTMLDivElement>(null);
  const shell = useRef<Shell>(undefined);
  const [problem, setProblem] = useState<Problem>();
  useOwnCommands("Terminal", [{ label: "Clear the terminal", act: () => shell.current?.screen.clear() }]);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const terminal = new Terminal({
      scrollback: SCROLLBACK,
      fontSize: 12.5,
      fontFamily: readToken("--mono"),
      theme: readTheme(),
      cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches,
      // Programs choose colours without knowing the ground: what could not be read is made readable.
      minimumContrastRatio: 4.5,
    });
    const fit = new FitAddon();
    terminal.loadAddon(fit);
    terminal.attachCustomKeyEventHandler((event) => isForTerminal(event, terminal));
    terminal.open(element);
    fit.fit();
    const screen = new Screen(makePaper(terminal));
    const opened = new Shell(store, screen, setProblem);
    shell.current = opened;
    terminal.onData((data) => opened.type(data));
    terminal.onResize(() => screen.renew());
    const sizes = new ResizeObserver(() => element.clientWidth > 0 && fit.fit());
    sizes.observe(element);
    const themes = new MutationObserver(() => (terminal.options.theme = readTheme()));
    themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    terminal.focus();
    return () => {
      sizes.disconnect();
      themes.disconnect();
      opened.close();
      terminal.dispose();
    };
  }, [store]);
  return (
    <div className="terminal">
      {problem && <Failure problem={problem} />}
      <div className="terminal-place" ref={place} />
    </div>
  );
}

function makePaper(terminal: Terminal): Paper {
  return {
    get cols() {
      return terminal.cols;
    },
    get column() {
      return terminal.buffer.active.cursorX;
    },
    write: (text, done) => terminal.write(text, done),
    reset: () => terminal.reset(),
  };
}

/** What the browser does itself: copy what is marked, paste, and leave by Shift+Tab. */
function isForTerminal(event: KeyboardEvent, terminal: Terminal): boolean {
  const control = event.ctrlKey || event.metaKey;
  if (event.key === "Tab" && event.shiftKey) return false;
  if (control && event.key.toLowerCase() === "v") return false;
  if (control && event.key.toLowerCase() === "c" && (event.shiftKey || event.metaKey || terminal.hasSelection())) {
    if (event.type === "keydown" && event.shiftKey && terminal.hasSelection()) {
      event.preventDefault();
      void navigator.clipboard?.writeText(terminal.getSelection());
    }
    return false;
  }
  return true;
}

function readToken(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function readTheme(): ITheme {
  const text = readToken("--text");
  const pairs = {
    black: "--faint",
    red: "--danger",
    green: "--accent",
    yellow: "--warning",
    blue: "--info",
    magenta: "--code-keyword",
    cyan: "--code-string",
    white: "--soft",
  };
  const colours = Object.entries(pairs).flatMap(([name, token]) => {
    const bright = `bright${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    return [[name, readToken(token)], [bright, readToken(token)]];
  });
  return {
    ...Object.fromEntries(colours),
    background: readToken("--panel"),
    foreground: text,
    cursor: text,
    cursorAccent: readToken("--panel"),
    selectionBackground: readToken("--line-strong"),
  };
}
