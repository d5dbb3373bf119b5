/** The imports of PHP's module: files through the loader, everything else from the engine. */

import type { Imports, PhpModule } from "./types.ts";

/** Answers to PHP; none of them may throw, as PHP would be left in the middle of its work. */
export interface Services {
  /** Bytes of input; 0 at its end. */
  read(into: Uint8Array): number;
  write(stream: "stdout" | "stderr", data: Uint8Array): void;
  sleep(ms: number): void;
  /** Answers a message of PHP code, which any code may have sent; null refuses it. */
  message(text: string): string | null;
  /** Runs a shell command; null if it was not run. */
  command(script: string, cwd: string): { output: Uint8Array; exitCode: number } | null;
}

/** What PHP may ask of its vm. */
export interface Inside extends Services {
  /** Milliseconds from now on that PHP code may compute; 0 for any time. */
  limit(ms: number): void;
}

/** Imports that are the loader's own: files, clocks and memory. */
export const LOADERS = [
  ..."__assert_fail __call_sighandler _abort_js _emscripten_runtime_keepalive_clear _gmtime_js _localtime_js".split(
    " ",
  ),
  ..."_mktime_js _mmap_js _munmap_js _tzset_js clock_time_get emscripten_date_now emscripten_get_heap_max".split(" "),
  ..."emscripten_get_now emscripten_resize_heap environ_get environ_sizes_get exit fd_close fd_fdstat_get".split(" "),
  ..."fd_read fd_seek fd_sync fd_write proc_exit random_get strptime".split(" "),
  ...("chdir chmod dup dup3 faccessat fchmod fchown32 fchownat fcntl64 fdatasync fstat64 ftruncate64 getcwd " +
    "getdents64 ioctl lstat64 mkdirat newfstatat openat poll readlinkat renameat rmdir stat64 statfs64 symlinkat " +
    "unlinkat utimensat").split(" ").map((name) => `__syscall_${name}`),
];
const FAILED = -1;
/** As the loader's system calls return it. */
const NO_ACCESS = -2;
const NO_NAME = -2;
/** Where a command's output is read from. */
export const COMMAND_OUTPUT = "/dev/command";
const ITIMER_PROF = 2;
/** The process number of every command: it has already ended when PHP gets it. */
const COMMAND = 1;

export function importsOf(loader: Imports, module: PhpModule, services: Inside, own: OwnState): Imports {
  const imports: Imports = Object.fromEntries(LOADERS.map((name) => [name, loader[name]]));
  for (const name of ["socket", "connect", "bind", "listen", "accept4", "sendto", "recvfrom", "pipe"]) {
    imports[`__syscall_${name}`] = () => NO_ACCESS;
  }
  for (const name of ["getsockname", "getpeername", "getsockopt"]) imports[`__syscall_${name}`] = () => NO_ACCESS;
  return Object.assign(imports, refused(), {
    js_fd_read: loader.fd_read,
    wasm_close: (descriptor: number) => loader.fd_close(descriptor),
    emscripten_sleep: (ms: number) => services.sleep(ms),
    js_popen_get_pid_for_fd: () => COMMAND,
    js_waitpid: (_: number, status: number) => {
      own.memory().setUint32(status, own.exitCode << 8, true);
      return COMMAND;
    },
    _setitimer_js: (which: number, ms: number) => {
      if (which === ITIMER_PROF) services.limit(ms);
      return 0;
    },
    __asyncjs__js_module_onMessage: (text: number, answer: number) => answered(module, services, own, text, answer),
    __asyncjs__js_popen_to_file: (command: number, mode: number, exitCode: number) =>
      commanded(module, services, own, { command, mode, exitCode }),
  });
}

/** What the imports need of their module. */
export interface OwnState {
  allocate(size: number): number;
  memory(): DataView;
  /** What the last command printed. */
  output: Uint8Array;
  exitCode: number;
  /** The address of the path where that can be read. */
  outputPath: number;
}

/** Sockets, processes, libraries and other stacks: there are none. */
function refused(): Imports {
  const names = "wasm_setsockopt wasm_shutdown __asyncjs__wasm_poll_socket js_open_process js_process_status " +
    "getcontext makecontext swapcontext";
  const zero = "_emscripten_lookup_name getprotobyname getprotobynumber _dlopen_js _dlsym_js js_wasm_trace " +
    "js_popen_clear_pid_for_fd js_popen_set_pid_for_fd";
  return {
    ...Object.fromEntries(names.split(" ").map((name) => [name, () => FAILED])),
    ...Object.fromEntries(zero.split(" ").map((name) => [name, () => 0])),
    getaddrinfo: () => NO_NAME,
    getnameinfo: () => NO_NAME,
    getdtablesize: () => 1024,
  };
}

function answered(module: PhpModule, services: Services, own: OwnState, text: number, answer: number): number {
  const reply = services.message(module.UTF8ToString(text));
  if (reply === null) return FAILED;
  const data = new TextEncoder().encode(reply);
  const at = own.allocate(data.length + 1);
  if (at === 0) return FAILED;
  module.HEAPU8.set(data, at);
  module.HEAPU8[at + data.length] = 0;
  own.memory().setUint32(answer, at, true);
  return data.length;
}

interface Command {
  command: number;
  mode: number;
  exitCode: number;
}

function commanded(module: PhpModule, services: Services, own: OwnState, { command, mode, exitCode }: Command): number {
  const reads = command !== 0 && module.UTF8ToString(mode).startsWith("r");
  const result = reads ? services.command(module.UTF8ToString(command), module.FS.cwd()) : null;
  own.output = result?.output ?? new Uint8Array(0);
  own.exitCode = (result?.exitCode ?? 1) & 0xff;
  own.memory().setUint8(exitCode, own.exitCode);
  return own.outputPath;
}
