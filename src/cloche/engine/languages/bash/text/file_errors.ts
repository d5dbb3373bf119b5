/** File errors in the words that a real machine uses. */

const REASONS: Record<string, string> = {
  EACCES: "Permission denied",
  EBADF: "Bad file descriptor",
  EBUSY: "Device or resource busy",
  EDQUOT: "Disk quota exceeded",
  EEXIST: "File exists",
  EFBIG: "File too large",
  EINVAL: "Invalid argument",
  EIO: "Input/output error",
  EISDIR: "Is a directory",
  ELOOP: "Too many levels of symbolic links",
  EMFILE: "Too many open files",
  EMLINK: "Too many links",
  ENAMETOOLONG: "File name too long",
  ENOENT: "No such file or directory",
  ENOSPC: "No space left on device",
  ENOSYS: "Function not implemented",
  ENOTDIR: "Not a directory",
  ENOTEMPTY: "Directory not empty",
  ENOTSUP: "Operation not supported",
  EPERM: "Operation not permitted",
  EROFS: "Read-only file system",
  EXDEV: "Invalid cross-device link",
};

const CODE = /\bE[A-Z]{3,11}\b/;
/** As files say it: `EACCES: permission denied, open '/x'`. */
const RAW = /\b(E[A-Z]{3,11}): [a-z][^\n,']*(?:, (?:[a-z]+ ?)?(?:'([^'\n]*)'(?: -> '[^'\n]*')?)?)?/g;
/** What just-bash puts in place of paths that look like the host's. */
const HIDDEN = "<path>";
const LIMIT = /, increase executionLimits\.\w+/g;

/** The reason alone, such as "Permission denied"; the error's own words if it is about no file. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  const text = String(message ?? error);
  return REASONS[code ?? text.match(CODE)?.[0] ?? ""] ?? text;
}

/**
 * The message of a command with reasons in usual words, and without what only just-bash's own users can change. A file
 * that it names by its whole path is named from `cwd`.
 */
export function sayPlainly(text: string, cwd: string): string {
  if (!CODE.test(text) && !text.includes("executionLimits")) return text;
  return text.split("\n").map((line) => plainLine(line, `${cwd}/`)).join("\n");
}

function plainLine(line: string, folder: string): string {
  return line.replace(LIMIT, "").replace(RAW, (raw: string, code: string, path: string | undefined, at: number) => {
    const reason = REASONS[code];
    if (!reason) return raw;
    // A message that names the file does so before the reason; one that does not gives the command alone.
    const named = !path || path === HIDDEN || !/^[\w.-]+: $/.test(line.slice(0, at));
    return named ? reason : `${path.startsWith(folder) ? path.slice(folder.length) : path}: ${reason}`;
  });
}
