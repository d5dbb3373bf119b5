/** Folders of the host as a trusted program sees them, when something is built. */

import { FolderFiles } from "../fs/folder.ts";
import { Quota } from "../fs/quota.ts";
import { PlatformFiles } from "../platform/deno/files.ts";

const LIMIT = 2 ** 40;

export function mountFolder(target: string, host: string, readOnly: boolean): FolderFiles {
  const files = new PlatformFiles(() => "EROFS");
  return new FolderFiles({ target, host, readOnly }, files, new Quota(new SharedArrayBuffer(8), LIMIT));
}
