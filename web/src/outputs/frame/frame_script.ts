/** Runs in frame.html: puts the HTML into a frame of its own and passes heights on. It has no rights worth stealing. */

import type { Theme, ToFrame } from "./messages.ts";

/** Milliseconds between two heights that are passed on. */
const PAUSE = 100;

let inner: HTMLIFrameElement | undefined;
let height = 0;
let waiting = false;

addEventListener("message", ({ source, data }) => {
  if (source === parent) obey(data as ToFrame);
  else if (inner && source === inner.contentWindow) passOn(data);
});
parent.postMessage({ ready: true }, "*");

function obey(told: ToFrame): void {
  if ("show" in told) show(told.show, told.theme);
  else inner?.contentWindow?.postMessage(told, "*");
}

function show(html: string, theme: Theme): void {
  inner?.remove();
  inner = document.createElement("iframe");
  inner.setAttribute("sandbox", "allow-scripts");
  inner.title = "Output";
  // Everything in one document, whose parser takes a document of the user's as its own head and body.
  inner.srcdoc = `<!doctype html><style>${STYLE}</style><script>(${tellHeights})(${
    JSON.stringify(theme)
  })</script>${html}`;
  document.body.append(inner);
}

function passOn(data: unknown): void {
  if (typeof data !== "object" || data === null) return;
  const { height: told, pong } = data as Record<string, unknown>;
  if (typeof pong === "number") parent.postMessage({ pong }, "*");
  if (typeof told !== "number" || !Number.isFinite(told)) return;
  height = told;
  if (waiting) return;
  waiting = true;
  setTimeout(() => {
    waiting = false;
    parent.postMessage({ height }, "*");
  }, PAUSE);
}

const STYLE = `
body { display: flow-root; margin: 0; font: 13.5px/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; }
th, td { padding: 2px 8px; border-bottom: 1px solid color-mix(in srgb, currentcolor 20%, transparent); text-align: left; }
img, svg, video { max-width: 100%; }
`;

/** Stands in the document of the user before anything else; it is sent as text, so that it uses nothing from here. */
function tellHeights(theme: Theme): void {
  const root = document.documentElement;
  const tell = (what: object) => parent.postMessage(what, "*");
  const dress = ({ dark, color, font }: Theme) => {
    root.style.colorScheme = dark ? "dark" : "light";
    root.style.color = color;
    root.style.fontFamily = font;
    root.dataset["theme"] = dark ? "dark" : "light";
  };
  const measure = () => {
    const body = document.body;
    if (!body) return;
    const higher = root.scrollHeight > innerHeight + 1;
    tell({ height: Math.ceil(higher ? root.scrollHeight : body.getBoundingClientRect().bottom) });
  };
  dress(theme);
  // No policy stops these. A frame that the HTML makes has its own: docs/threat-model.md.
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) Reflect.deleteProperty(globalThis, name);
  addEventListener("message", ({ source, data }) => {
    if (source !== parent) return;
    if (data?.theme) dress(data.theme);
    if (typeof data?.ping === "number") tell({ pong: data.ping });
  });
  const watch = () => {
    const watcher = new ResizeObserver(() => requestAnimationFrame(measure));
    watcher.observe(root);
    if (document.body) watcher.observe(document.body);
    measure();
  };
  if (document.body) watch();
  else addEventListener("DOMContentLoaded", watch);
  addEventListener("load", measure);
}
