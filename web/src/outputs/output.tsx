/** What code shows, by its richest known type. */

import { lazy, memo, type ReactNode, Suspense, useMemo } from "react";
import { AnsiText } from "./ansi_text.tsx";
import { asData, asText, type Bundle, chooseType, listUnknown } from "./bundle.ts";
import { JsonTree } from "./json_tree.tsx";
import { Broken, OutputGuard } from "./output_guard.tsx";
import { Picture } from "./picture.tsx";
import { Svg } from "./svg.tsx";
import { DataTable } from "./table/data_table.tsx";
import { readDelimited } from "./table/delimited.ts";
import { readTable } from "./table/table.ts";
import { readFailure } from "./traceback.ts";
import { TracebackView } from "./traceback_view.tsx";
import { UnknownTypes } from "./unknown.tsx";
import "./outputs.css";

const Html = lazy(() => import("./html.tsx"));
const Latex = lazy(() => import("./latex.tsx"));
const Markdown = lazy(() => import("./markdown.tsx"));
const Vega = lazy(() => import("./vega.tsx"));

export interface Shown {
  bundle: Bundle;
  /** By type, as in notebooks. */
  metadata?: Record<string, unknown>;
}

/** Broken content shows a message and leaves what stands around it alone. */
export const Output = memo(function Output(shown: Shown) {
  return (
    <div className="output-view">
      <OutputGuard bundle={shown.bundle}>
        <Suspense fallback={<span className="faint small" role="status">Loading …</span>}>
          <Richest {...shown} />
        </Suspense>
      </OutputGuard>
    </div>
  );
});

function Richest({ bundle, metadata }: Shown): ReactNode {
  const chosen = chooseType(bundle);
  const unknown = listUnknown(bundle);
  if (!chosen) return <UnknownTypes bundle={bundle} types={unknown} />;
  const { type, renderer } = chosen;
  const content = bundle[type];
  const about = metadata?.[type];
  switch (renderer) {
    case "picture":
      return <Picture type={type} bundle={bundle} metadata={about} />;
    case "svg":
      return <Svg source={asText(content)} metadata={about} />;
    case "html":
      return <Html html={asText(content)} />;
    case "markdown":
      return <Markdown source={asText(content)} />;
    case "latex":
      return <Latex source={asText(content)} />;
    case "csv":
      return <Delimited text={asText(content)} separator={type.includes("tab") ? "\t" : ","} />;
    case "text":
      return (
        <>
          <AnsiText text={asText(content)} />
          {unknown.length > 0 && <UnknownTypes bundle={bundle} types={unknown} />}
        </>
      );
    default:
      return <OfData bundle={bundle} type={type} renderer={renderer} about={about} />;
  }
}

interface OfDataProps {
  bundle: Bundle;
  type: string;
  renderer: string;
  about: unknown;
}

/** What is given as JSON. */
function OfData({ bundle, type, renderer, about }: OfDataProps) {
  const content = bundle[type];
  const [data, wrong] = useMemo(() => readData(content), [content]);
  const table = useMemo(() => (renderer === "table" ? readTable(data) : undefined), [data, renderer]);
  if (wrong) return <Broken what={wrong} bundle={bundle} />;
  if (renderer === "vega") return <Vega type={type} spec={data} />;
  if (renderer === "json") return <JsonTree data={data} open={isExpanded(about)} />;
  if (renderer === "table" && table) return <DataTable table={table} />;
  const failure = renderer === "error" ? readFailure(data) : undefined;
  if (failure) return <TracebackView failure={failure} />;
  return <Broken what={`the data is not of the type ${type}`} bundle={bundle} />;
}

/** The data, or what is wrong with it. */
function readData(content: unknown): [data: unknown, wrong?: string] {
  try {
    return [asData(content)];
  } catch (error) {
    return [undefined, error instanceof Error ? error.message : String(error)];
  }
}

function Delimited({ text, separator }: { text: string; separator: "," | "\t" }) {
  const table = useMemo(() => readDelimited(text, separator), [text, separator]);
  return <DataTable table={table} />;
}

function isExpanded(about: unknown): boolean {
  return typeof about === "object" && about !== null && (about as { expanded?: unknown }).expanded === true;
}
