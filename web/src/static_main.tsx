/** Play by itself, as files of any web host: without sessions, and without a server that runs code. */

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { useCommands } from "./frame/commands.ts";
import { applyTheme, switchTheme } from "./frame/theme.ts";
import { Palette } from "./frame/palette.tsx";
import { Button } from "./parts/button.tsx";
import { Embed } from "./play/embed.tsx";
import { Play } from "./play/play.tsx";
import { isolate } from "./play/service.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/frame.css";

function Alone() {
  return (
    <div className="frame">
      <header className="frame-head">
        <span className="brand">
          <img src="./icon.svg" alt="" width="20" height="20" />
          Cloche
        </span>
        <div className="grow" />
        <Button look="quiet" label="Commands" onClick={() => useCommands.setState({ open: "palette" })}>
          <kbd>Ctrl K</kbd>
        </Button>
        <Button look="quiet" label="Switch between light and dark" onClick={switchTheme}>◐</Button>
      </header>
      <main>
        <Play withServer={false} />
      </main>
      <Palette />
    </div>
  );
}

applyTheme();
await isolate();
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>{document.documentElement.dataset["page"] === "embed" ? <Embed /> : <Alone />}</StrictMode>,
  );
}
