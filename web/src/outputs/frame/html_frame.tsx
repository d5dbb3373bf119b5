/** HTML of the user's code, in a frame that can reach nothing: not this page, no storage, no network, no other window. */

import { useEffect, useRef, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Broken } from "../output_guard.tsx";
import { FloodGauge } from "./flood.ts";
import { readFromFrame } from "./messages.ts";
import { readTheme, useDark } from "./theme.ts";
import "./html_frame.css";

/** Pixels; what is higher scrolls inside. */
const HIGHEST = 640;
const LOWEST = 16;
/** How often a frame may change its height. */
const CHANGES = 300;
/** Milliseconds until a frame has to be there, between two questions whether it lives, and until it counts as stuck. */
const PATIENCE = 15_000;
const ROUND = 2_000;
const STUCK = 6_000;

type Phase = "loading" | "shown" | "stuck" | "missing" | "flood" | "stopped";

export function HtmlFrame({ html }: { html: string }) {
  const [round, setRound] = useState(0);
  const [phase, setPhase] = useState<Phase>("loading");
  const [height, setHeight] = useState(LOWEST);
  const begin = () => {
    setPhase("loading");
    setRound(round + 1);
  };
  if (phase === "missing") return <Broken what="the frame for HTML did not load" />;
  if (phase === "flood" || phase === "stopped") {
    return (
      <p className="html-ended row" role="status">
        {phase === "flood" ? "This HTML was stopped: it sent too many messages." : "This HTML was stopped."}
        <Button onClick={begin}>Show it again</Button>
      </p>
    );
  }
  return (
    <div className="html-output">
      <LiveFrame key={round} html={html} height={height} setHeight={setHeight} tell={setPhase} />
      {phase === "stuck" && (
        <p className="output-broken" role="alert">
          This HTML does not respond. <Button onClick={() => setPhase("stopped")}>Stop it</Button>
        </p>
      )}
      {phase === "shown" && (
        <Button
          look="quiet"
          className="html-stop"
          label="Stop this HTML"
          onClick={() => setPhase("stopped")}
        >
          ✕
        </Button>
      )}
    </div>
  );
}

interface Live {
  html: string;
  height: number;
  setHeight(height: number): void;
  tell(phase: Phase): void;
}

function LiveFrame({ html, height, setHeight, tell }: Live) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [ready, setReady] = useState(false);
  const dark = useDark();
  const say = (what: object) => frame.current?.contentWindow?.postMessage(what, "*");
  useEffect(() => {
    const gauge = new FloodGauge();
    let changes = 0;
    const hear = ({ source, data }: MessageEvent) => {
      const own = frame.current?.contentWindow;
      if (!own || !isWithin(source, own)) return;
      if (gauge.add(performance.now())) return tell("flood");
      // Only the frame itself is listened to; what is in it reaches this page too, and can say what it likes.
      const told = source === own ? readFromFrame(data) : undefined;
      if (!told) return;
      if ("ready" in told) setReady(true);
      else if ("height" in told && ++changes < CHANGES) setHeight(clampHeight(told.height));
    };
    addEventListener("message", hear);
    return () => removeEventListener("message", hear);
  }, []);
  useEffect(() => {
    if (!ready) {
      const late = setTimeout(() => tell("missing"), PATIENCE);
      return () => clearTimeout(late);
    }
    say({ show: html, theme: readTheme(dark) });
    tell("shown");
    return watchLife(frame.current, say, (stuck) => tell(stuck ? "stuck" : "shown"));
  }, [ready, html]);
  useEffect(() => {
    if (ready) say({ theme: readTheme(dark) });
  }, [dark]);
  return (
    <iframe
      ref={frame}
      className="html-frame"
      title="HTML output"
      src="./frame.html"
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      style={{ height }}
    />
  );
}

/** Asks the frame now and then whether it lives; tells when that changes. Returns what ends it. */
function watchLife(frame: HTMLIFrameElement | null, say: (what: object) => void, tell: (stuck: boolean) => void) {
  let heard = performance.now();
  let stuck = false;
  const hear = ({ source, data }: MessageEvent) => {
    if (frame && source === frame.contentWindow && typeof data?.pong === "number") heard = performance.now();
  };
  const timer = setInterval(() => {
    if (document.hidden) heard = performance.now();
    else say({ ping: 1 });
    const now = performance.now() - heard > STUCK;
    if (now !== stuck) tell(now);
    stuck = now;
  }, ROUND);
  addEventListener("message", hear);
  return () => {
    clearInterval(timer);
    removeEventListener("message", hear);
  };
}

/** Whether a window is this one or somewhere in it. */
function isWithin(source: MessageEventSource | null, frame: Window): boolean {
  let at = source instanceof MessagePort ? null : source as Window | null;
  for (let depth = 0; at && depth < 10; depth++) {
    if (at === frame) return true;
    if (at === at.parent) return false;
    at = at.parent;
  }
  return false;
}

function clampHeight(height: number): number {
  return Math.round(Math.min(HIGHEST, Math.max(LOWEST, height)));
}
