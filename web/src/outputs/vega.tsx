/** Charts of Vega and Vega-Lite: no code from strings, nothing loaded from any address. */

import { useEffect, useRef, useState } from "react";
import embed, { type VisualizationSpec } from "vega-embed";
import { expressionInterpreter } from "vega-interpreter";
import { useDark } from "./frame/theme.ts";
import { Broken } from "./output_guard.tsx";

const REFUSED = "a chart may load nothing: put its data into the specification";

/** Only pictures that are data; everything else, also a link, is refused. */
const loader = {
  load: () => Promise.reject(new Error(REFUSED)),
  sanitize: (address: string) =>
    /^data:image\//i.test(address) ? Promise.resolve({ href: address }) : Promise.reject(new Error(REFUSED)),
  http: () => Promise.reject(new Error(REFUSED)),
  file: () => Promise.reject(new Error(REFUSED)),
};

export default function Vega({ type, spec }: { type: string; spec: unknown }) {
  const place = useRef<HTMLDivElement>(null);
  const [problem, setProblem] = useState<string>();
  const dark = useDark();
  useEffect(() => {
    const here = place.current;
    if (!here) return;
    let left = false;
    let end = () => {};
    setProblem(undefined);
    const fail = (error: unknown) => !left && setProblem(error instanceof Error ? error.message : String(error));
    drawChart(here, type, spec, dark, fail).then((finish) => {
      if (left) finish();
      else end = finish;
    }, fail);
    return () => {
      left = true;
      end();
    };
  }, [spec, type, dark]);
  return (
    <>
      {problem && <Broken what={problem} />}
      <div ref={place} className="vega-output" role="img" aria-label="Chart" />
    </>
  );
}

/** Draws into an element of its own; returns what ends it. */
async function drawChart(
  here: HTMLElement,
  type: string,
  spec: unknown,
  dark: boolean,
  fail: (error: unknown) => void,
): Promise<() => void> {
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) {
    throw new Error("the specification is not an object");
  }
  // Its author might set options of the embedding there.
  const { usermeta: _, ...bare } = spec as Record<string, unknown>;
  const element = document.createElement("div");
  here.replaceChildren(element);
  const drawn = await embed(element, bare as unknown as VisualizationSpec, {
    mode: /vegalite/.test(type) ? "vega-lite" : "vega",
    actions: false,
    renderer: "canvas",
    ast: true,
    expr: expressionInterpreter,
    loader,
    logger: quietLogger(fail),
    theme: dark ? "dark" : undefined,
    config: { background: "transparent" },
    tooltip: { sanitize: (value: unknown) => escape(typeof value === "string" ? value : JSON.stringify(value)) },
  });
  return () => {
    drawn.finalize();
    element.remove();
  };
}

/** Says errors of a chart where it stands and not in the console. */
function quietLogger(fail: (error: unknown) => void) {
  const logger = {
    level: () => logger,
    error: (...said: unknown[]) => {
      fail(said.map((each) => (each instanceof Error ? each.message : String(each))).join(" "));
      return logger;
    },
    // That data could not be loaded is a warning with the error in it.
    warn: (...said: unknown[]) => {
      said.filter((each) => each instanceof Error).forEach(fail);
      return logger;
    },
    info: () => logger,
    debug: () => logger,
  };
  return logger as never;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
