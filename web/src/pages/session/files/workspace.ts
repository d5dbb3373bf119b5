/** The files of one session in this page: the folders that are open, what is shown, and texts that are not saved. */

import { createStore, type StoreApi } from "zustand/vanilla";
import { Problem } from "../../../api/client.ts";
import { listFolder, readFile, saveText, showFile } from "../../../api/files.ts";
import type { FileView, FolderListing } from "../../../api/types.ts";
import { asProblem } from "../../../api/use_ask.ts";
import { type Buffer, edit, isChanged, noteFile, noteSaved, openBuffer, written } from "./buffer.ts";
import { decodeText, LARGE, pictureType, previewOf } from "./kinds.ts";
import { folderOf, isBelow, movePath } from "./paths.ts";

export type View = { kind: "none" } | { kind: "file"; path: string } | { kind: "changes"; event?: number };

/** How a file is shown; a text has a buffer. */
export interface OpenFile {
  kind: "loading" | "text" | "picture" | "parts" | "failed";
  size: number;
  modified: number;
  binary: boolean;
  problem?: Problem;
}

export interface WorkspaceState {
  folders: ReadonlyMap<string, FolderListing>;
  open: ReadonlySet<string>;
  focused: string;
  view: View;
  files: ReadonlyMap<string, OpenFile>;
  buffers: ReadonlyMap<string, Buffer>;
  /** Why a folder cannot be listed. */
  problem?: Problem;
  /** Files that are being saved. */
  saving: ReadonlySet<string>;
  /** Grows when files may have changed. */
  round: number;
}

const NOTHING: OpenFile = { kind: "loading", size: 0, modified: 0, binary: false };

export class Workspace {
  readonly store: StoreApi<WorkspaceState> = createStore(() => ({
    folders: new Map(),
    open: new Set(),
    focused: "",
    view: { kind: "none" },
    files: new Map(),
    buffers: new Map(),
    saving: new Set(),
    round: 0,
  }));

  constructor(readonly sid: string) {}

  get state(): WorkspaceState {
    return this.store.getState();
  }

  /** Reads again what is in sight, and all texts with changes. */
  async refresh(): Promise<void> {
    const { open, view, buffers, round } = this.state;
    this.store.setState({ round: round + 1 });
    const shown = view.kind === "file" ? [view.path] : [];
    const changed = [...buffers].filter(([, buffer]) => isChanged(buffer)).map(([path]) => path);
    await Promise.all([
      ...["", ...open].map((folder) => this.list(folder)),
      ...new Set([...shown, ...changed]).values().map((path) => this.load(path)),
    ]);
  }

  async list(folder: string): Promise<void> {
    try {
      const listing = await listFolder(this.sid, folder);
      this.store.setState(({ folders, problem }) => ({
        folders: new Map(folders).set(folder, listing),
        problem: folder ? problem : undefined,
      }));
    } catch (error) {
      const problem = asProblem(error);
      // A folder that is gone is no failure: its parent does not list it any more.
      if (folder && (problem.status === 404 || problem.status === 409)) this.#forgetFolder(folder);
      else this.store.setState({ problem });
    }
  }

  setOpen(folder: string, isOpen: boolean): void {
    this.store.setState(({ open }) => {
      const now = new Set(open);
      if (isOpen) now.add(folder);
      else now.delete(folder);
      return { open: now };
    });
    if (isOpen) void this.list(folder);
  }

  focus(path: string): void {
    this.store.setState({ focused: path });
  }

  /** Shows a file, with the folders that it is in. */
  async show(path: string): Promise<void> {
    for (let folder = folderOf(path); folder; folder = folderOf(folder)) {
      if (!this.state.open.has(folder)) this.setOpen(folder, true);
    }
    this.leave();
    this.store.setState({ focused: path, view: { kind: "file", path } });
    await this.load(path);
  }

  showChanges(event?: number): void {
    this.leave();
    this.store.setState({ view: { kind: "changes", event } });
  }

  /** Shows nothing; a text without changes is read again when it is shown the next time. */
  leave(): void {
    const { view, buffers } = this.state;
    const path = view.kind === "file" ? view.path : undefined;
    const buffer = path === undefined ? undefined : buffers.get(path);
    this.store.setState({ view: { kind: "none" } });
    if (path !== undefined && (!buffer || !isChanged(buffer))) this.forget(path);
  }

  /** Reads a file, or what became of it. */
  async load(path: string): Promise<void> {
    try {
      const info = await showFile(this.sid, path);
      const buffer = this.state.buffers.get(path);
      if (info.kind === "dir") throw new Problem({ status: 409, detail: `${path} is a folder` });
      if (!buffer && pictureType(path) && !previewOf(path)) return this.#setFile(path, "picture", info);
      if (!buffer && info.size > LARGE) return this.#setFile(path, "parts", info);
      await this.#loadText(path, info);
    } catch (error) {
      this.#fail(path, asProblem(error));
    }
  }

  type(path: string, text: string): void {
    this.change(path, (buffer) => edit(buffer, text));
  }

  change(path: string, how: (buffer: Buffer) => Buffer): void {
    const buffer = this.state.buffers.get(path);
    if (buffer) this.store.setState(({ buffers }) => ({ buffers: new Map(buffers).set(path, how(buffer)) }));
  }

  /** Writes a text, unless somebody else has changed the file: then both are kept. */
  async save(path: string): Promise<void> {
    const buffer = this.state.buffers.get(path);
    if (!buffer || this.state.saving.has(path)) return;
    this.#setSaving(path, true);
    try {
      const etag = await saveText(this.sid, path, written(buffer), buffer.base.etag);
      this.change(path, (now) => noteSaved(now, buffer.text, etag));
      await this.list(folderOf(path));
    } catch (error) {
      const problem = asProblem(error);
      if (problem.status !== 412) throw problem;
      this.#setSaving(path, false);
      await this.load(path);
    } finally {
      this.#setSaving(path, false);
    }
  }

  /** Begins a text that is in no file yet, or shows the file if there is one. */
  async create(path: string): Promise<void> {
    await saveText(this.sid, path, "", "");
    await this.refresh();
    await this.show(path);
  }

  /** What was at `from` is at `to` now: what is not saved goes with it. */
  async moved(from: string, to: string): Promise<void> {
    this.store.setState(({ buffers, files, open, view, focused }) => ({
      buffers: new Map([...buffers].map(([path, buffer]) => [movePath(path, from, to), buffer])),
      files: new Map([...files].map(([path, file]) => [movePath(path, from, to), file])),
      open: new Set([...open].map((path) => movePath(path, from, to))),
      view: view.kind === "file" ? { ...view, path: movePath(view.path, from, to) } : view,
      focused: movePath(focused, from, to),
    }));
    await this.refresh();
  }

  /** What was at a path is gone. */
  async removed(path: string): Promise<void> {
    const { view, buffers } = this.state;
    for (const each of buffers.keys()) if (isBelow(each, path)) this.forget(each);
    if (view.kind === "file" && isBelow(view.path, path)) this.store.setState({ view: { kind: "none" } });
    this.#forgetFolder(path);
    this.focus(folderOf(path));
    await this.refresh();
  }

  forget(path: string): void {
    this.store.setState(({ buffers, files }) => ({ buffers: without(buffers, path), files: without(files, path) }));
  }

  async #loadText(path: string, info: FileView): Promise<void> {
    const before = this.state.buffers.get(path)?.base.etag;
    const { data, etag } = await readFile(this.sid, path);
    const text = decodeText(data);
    const buffer = this.state.buffers.get(path);
    // It was saved meanwhile: what was read may be older.
    if (this.state.saving.has(path) || buffer?.base.etag !== before) return;
    if (text === undefined && (!buffer || !isChanged(buffer))) {
      this.store.setState(({ buffers }) => ({ buffers: without(buffers, path) }));
      return this.#setFile(path, "parts", info, true);
    }
    const version = { text: text ?? "", etag };
    const now = buffer ? noteFile(buffer, version) : openBuffer(version);
    this.store.setState(({ buffers }) => ({ buffers: new Map(buffers).set(path, now) }));
    this.#setFile(path, "text", info);
  }

  #fail(path: string, problem: Problem): void {
    const buffer = this.state.buffers.get(path);
    if (buffer && problem.status === 404) this.change(path, (now) => noteFile(now, null));
    else if (!buffer) this.#setFile(path, "failed", undefined, false, problem);
  }

  #setFile(path: string, kind: OpenFile["kind"], info?: FileView, binary = false, problem?: Problem): void {
    const { size, modified } = info ?? NOTHING;
    const file = { kind, size, modified, binary, problem };
    this.store.setState(({ files }) => ({ files: new Map(files).set(path, file) }));
  }

  #setSaving(path: string, isSaving: boolean): void {
    this.store.setState(({ saving }) => {
      const now = new Set(saving);
      if (isSaving) now.add(path);
      else now.delete(path);
      return { saving: now };
    });
  }

  #forgetFolder(folder: string): void {
    this.store.setState(({ folders, open }) => ({
      folders: new Map([...folders].filter(([path]) => !isBelow(path, folder))),
      open: new Set([...open].filter((path) => !isBelow(path, folder))),
    }));
  }
}

function without<Value>(all: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  const left = new Map(all);
  left.delete(key);
  return left;
}

const workspaces = new Map<string, Workspace>();

/** The one of a session, which stays while the page does: what is not saved is not lost with a tab. */
export function findWorkspace(sid: string): Workspace {
  const known = workspaces.get(sid) ?? new Workspace(sid);
  workspaces.set(sid, known);
  return known;
}

/** A page that is left would lose what is not saved: the browser asks. */
globalThis.addEventListener?.("beforeunload", (event) => {
  const texts = [...workspaces.values()].flatMap(({ state }) => [...state.buffers.values()]);
  if (texts.some(isChanged)) event.preventDefault();
});
