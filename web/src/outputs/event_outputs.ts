/** What an observation shows besides its text: displays, pictures, rich values, the error that ended it. */

import { valueAt, type WireEvent } from "../events/wire.ts";
import { type Bundle, chooseType, ERROR_TYPE, listUnknown } from "./bundle.ts";
import { findFailure, readFailure } from "./traceback.ts";

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
  const outputs = [
    ...readPictures(valueAt(answer, "extras", "image_urls")),
    ...listDisplays(valueAt(answer, "cloche", "displays")),
  ];
  const failure = readFailure(valueAt(answer, "extras", "error")) ??
    (answer.observation === "run_ipython" ? findFailure(answer.content ?? "") : undefined);
  if (failure) outputs.push({ bundle: { [ERROR_TYPE]: failure } });
  return outputs;
}

function readPictures(urls: unknown): EventOutput[] {
  if (!Array.isArray(urls)) return [];
  return urls.flatMap((url) => {
    const type = typeof url === "string" ? PICTURE.exec(url)?.[1] : undefined;
    return type === undefined ? [] : [{ bundle: { [type]: (url as string).slice((url as string).indexOf(",") + 1) } }];
  });
}

function listDisplays(displays: unknown): EventOutput[] {
  if (!Array.isArray(displays)) return [];
  return displays.flatMap((display) => {
    const [data, metadata] = [valueAt(display, "data"), valueAt(display, "metadata")];
    if (!isObject(data) || Object.keys(data).length === 0) return [];
    return [{ bundle: data, ...(isObject(metadata) && { metadata }) }];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
