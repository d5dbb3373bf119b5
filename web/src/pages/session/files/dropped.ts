/** Files that are dropped onto the page, with those in folders. */

import type { SentFile } from "../../../api/files.ts";

/** Files of one drop that are taken: the server has a limit of its own, and refuses the others by name. */
const MOST = 5000;

/** Must be called at once: what is dropped is gone after the event. */
export function readDropped(items: DataTransferItemList): Promise<SentFile[]> {
  const found = [...items].filter(({ kind }) => kind === "file").map((item) => ({
    entry: item.webkitGetAsEntry(),
    file: item.getAsFile(),
  }));
  return collect(found);
}

async function collect(found: { entry: FileSystemEntry | null; file: File | null }[]): Promise<SentFile[]> {
  const files: SentFile[] = [];
  for (const { entry, file } of found) {
    if (entry) await walk(entry, "", files);
    else if (file) files.push({ name: file.name, file });
  }
  return files;
}

async function walk(entry: FileSystemEntry, folder: string, files: SentFile[]): Promise<void> {
  if (files.length >= MOST) return;
  const name = folder + entry.name;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    files.push({ name, file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A folder is read in parts, until a part is empty.
  for (;;) {
    const inside = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (inside.length === 0) return;
    for (const each of inside) await walk(each, `${name}/`, files);
  }
}
