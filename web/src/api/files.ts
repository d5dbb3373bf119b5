/** The files of a session: what one asks the server about them. */

import { ask, makeAddress, Problem, request } from "./client.ts";
import type { Diff, FileView, FolderListing, ProblemDetails, UploadReport } from "./types.ts";

/** Entries of a folder that are listed. */
export const LISTED = 1000;

const at = (sid: string, rest = "") => `/sessions/${sid}/files${rest}`;

export const listFolder = (sid: string, path: string, signal?: AbortSignal) =>
  ask<FolderListing>(at(sid), { query: { path, limit: LISTED }, signal });
export const showFile = (sid: string, path: string, signal?: AbortSignal) =>
  ask<FileView>(at(sid, "/info"), { query: { path }, signal });
export const makeFolder = (sid: string, path: string) => ask<FileView>(at(sid, "/folders"), { body: { path } });
export const moveFile = (sid: string, path: string, destination: string) =>
  ask<FileView>(at(sid, "/move"), { body: { path, destination } });
export const removeFile = (sid: string, path: string, recursive: boolean) =>
  ask<null>(at(sid), { method: "DELETE", query: { path, recursive } });
export const showDiff = (sid: string, event?: number, signal?: AbortSignal) =>
  ask<Diff>(event === undefined ? `/sessions/${sid}/diff` : `/sessions/${sid}/events/${event}/diff`, { signal });

export const downloadAddress = (sid: string, path: string) =>
  makeAddress(at(sid, "/content"), { path, download: true });
export const zipAddress = (sid: string, path: string) => makeAddress(at(sid, "/zip"), { path });

/** The bytes of a file, with the name of their state. */
export interface Contents {
  data: Uint8Array<ArrayBuffer>;
  type: string;
  etag: string;
}

export async function readFile(sid: string, path: string, signal?: AbortSignal): Promise<Contents> {
  const response = await request(at(sid, "/content"), { query: { path }, signal });
  return readContents(response);
}

/** The bytes from `start` to before `end`. */
export async function readPart(sid: string, path: string, start: number, end: number, signal?: AbortSignal) {
  const headers = { range: `bytes=${start}-${end - 1}` };
  return readContents(await request(at(sid, "/content"), { query: { path }, headers, signal }));
}

async function readContents(response: Response): Promise<Contents> {
  const type = response.headers.get("content-type") ?? "";
  return { data: new Uint8Array(await response.arrayBuffer()), type, etag: response.headers.get("etag") ?? "" };
}

/** Writes a text if the file is still in the state `etag`; with "" only if there is none. Returns its new state. */
export async function saveText(sid: string, path: string, text: string, etag: string): Promise<string> {
  const headers: Record<string, string> = etag ? { "if-match": etag } : { "if-none-match": "*" };
  // As bytes: an empty text is a body too.
  const data = new TextEncoder().encode(text);
  const response = await request(at(sid, "/content"), { method: "PUT", query: { path }, headers, data });
  return response.headers.get("etag") ?? "";
}

export interface UploadChoice {
  unpack: boolean;
  overwrite: boolean;
}

/** A file that is sent, with its path in the folder. */
export interface SentFile {
  name: string;
  file: File;
}

/** Brings files into a folder; `progress` hears which part of all bytes has been sent. */
export function uploadFiles(
  sid: string,
  path: string,
  files: readonly SentFile[],
  { unpack, overwrite }: UploadChoice,
  progress: (part: number) => void,
  signal: AbortSignal,
): Promise<UploadReport> {
  const form = new FormData();
  for (const { name, file } of files) form.append("files", file, name);
  const sent = new XMLHttpRequest();
  sent.open("POST", makeAddress(`/sessions/${sid}/uploads`, { path, unpack, overwrite }));
  sent.responseType = "text";
  return new Promise((resolve, reject) => {
    // `fetch` does not say how much of a body has been sent.
    sent.upload.onprogress = ({ loaded, total }) => progress(total ? loaded / total : 1);
    sent.onerror = () =>
      reject(
        new Problem({
          status: 0,
          code: "away",
          detail: "The upload broke off.",
          fix: "The server is away, or did not want to read so much.",
        }),
      );
    sent.onabort = () => reject(new Problem({ status: 0, code: "aborted", detail: "The upload was given up." }));
    sent.onload = () => {
      const answer = readAnswer<UploadReport & ProblemDetails>(sent.responseText);
      if (sent.status < 400 && answer) resolve(answer);
      else reject(new Problem({ ...answer, status: sent.status }));
    };
    signal.addEventListener("abort", () => sent.abort());
    sent.send(form);
  });
}

function readAnswer<Answer>(text: string): Answer | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
