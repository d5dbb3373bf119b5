/** What an observation shows besides its text: displays, pictures, rich values, the error that ended it. */

import { valueAt, type WireEvent } from "../events/wire.ts";
import { type Bundle, chooseType, ERROR_TYPE, listUnknown } from "./bundle.ts";
import { readFailure } from "./traceback.ts";

export interface EventOutput {
  bundle: Bundle;
  metadata?: Record<string, unknown>;
}

const PICTURE = /^data:(image\/[\w.+-]+);base64,/;
const found = new WeakMap<WireEvent, readonly EventOutput[]>();

/** In the order in which code showed them; the same list each time. */
export function outputsOf(answer: WireEvent): readonly EventOutput[] {
  const known = found.get(answer);
  if (known) return known;
  const outputs = readOutputs(answer);
  found.set(answer, outputs);
  return outputs;
}

/** In a word, what it is: the renderer of an output, or its unknown type. */
export function kindOf({ bundle }: EventOutput): string {
  return chooseType(bundle)?.renderer ?? listUnknown(bundle)[0] ?? "nothing";
}

function readOutputs(answer: WireEvent): EventOutput[] {
  const pictures = readPictures(valueAt(answer, "extras", "image_urls"));
  const displays = valueAt(answer, "cloche", "displays");
  const outputs = Array.isArray(displays)
    ? displays.flatMap((display) => readDisplay(display, pictures))
    : pictures.filter((picture) => picture !== undefined).map((bundle) => ({ bundle }));
  const error = valueAt(answer, "extras", "error");
  if (readFailure(error)) outputs.push({ bundle: { [ERROR_TYPE]: error } });
  return outputs;
}

function readPictures(urls: unknown): (Bundle | undefined)[] {
  if (!Array.isArray(urls)) return [];
  return urls.map((url) => {
    const type = typeof url === "string" ? PICTURE.exec(url)?.[1] : undefined;
    return type === undefined ? undefined : { [type]: (url as string).slice((url as string).indexOf(",") + 1) };
  });
}

/** One display; none if it has only text, which the content of the event says already. */
function readDisplay(display: unknown, pictures: (Bundle | undefined)[]): EventOutput[] {
  const data = valueAt(display, "data");
  const place = valueAt(display, "picture");
  const picture = typeof place === "number" ? pictures[place] : undefined;
  const bundle = { ...(typeof data === "object" && data !== null ? data as Bundle : {}), ...picture };
  const metadata = valueAt(display, "metadata");
  const about = typeof metadata === "object" && metadata !== null ? metadata as Record<string, unknown> : undefined;
  if (Object.keys(bundle).length === 0) return [];
  return [{ bundle, ...(about && { metadata: about }) }];
}
