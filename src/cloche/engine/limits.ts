/** Limits of limits.py that the engine needs; `make fmt` writes this file, see scripts/engine_limits.py. */

/** What the engine enforces while it runs; the host sends them in `config.limits`. */
export interface RunLimits {
  /** Bytes the guest may store in the sandbox's own folders. */
  filesLimit: number;
  /** Files, folders and links the guest may create there and in mounts. */
  fileNames: number;
  /** Workers of one sandbox process, including those that could not be stopped; beyond that the process is replaced. */
  workerLimit: number;
  /** Programs in Python that run at once in a sandbox, each in an interpreter of its own; all share the memory limit. */
  processLimit: number;
  /** Bytes of one message on the control channel. */
  frameLimit: number;
  /** Nesting depth of a display, and of any message of the engine. */
  displayDepth: number;
  /** Values in such a message, which the host decodes in one step. */
  displayValues: number;
  /** Requests that one sandbox may have open at its host. */
  hostRequests: number;
  /** Bytes of a request or its answer that may be in flight before the other side has read them. */
  requestWindow: number;
  /** Ports that the programs of one sandbox may have open. */
  loopbackPorts: number;
  /** Connections that they may have open to these ports. */
  loopbackConnections: number;
}

/** The same for an engine without a host: in a page, in a test, while something is built. */
export const RUN_LIMITS: RunLimits = {
  filesLimit: 1_073_741_824,
  fileNames: 500_000,
  workerLimit: 16,
  processLimit: 12,
  frameLimit: 16_777_216,
  displayDepth: 100,
  displayValues: 250_000,
  hostRequests: 64,
  requestWindow: 4_194_304,
  loopbackPorts: 64,
  loopbackConnections: 256,
};

/** What is built into programs that run inside, and the defaults of an engine without a host. */
export const FIXED_LIMITS = {
  /** Seconds a call may run before it is interrupted. */
  timeout: 30,
  /** Megabytes Python may allocate before it gets a MemoryError. */
  memoryMb: 512,
  /** Bytes kept of each output stream of one call, half from the head, half from the tail. */
  outputLimit: 1_048_576,
  /** Seconds a soft interrupt may take before the worker is replaced. */
  interruptGrace: 0.4,
  /** Bytes the guest may store in a web page, whose files are in memory. */
  pageFilesLimit: 268_435_456,
  /** Bytes of one rich display; a larger one is replaced by a note. */
  displayLimit: 8_388_608,
  /** Characters of a value's text in `Result.value`, in Python and PHP. */
  valueLimit: 1_048_576,
  /** Characters of a value's JSON in `Result.data`. */
  dataLimit: 262_144,
  /** Nesting depth of such a value. */
  dataDepth: 50,
  /** Values in it. */
  dataValues: 50_000,
  /** Files that one interpreter may hold open: the process needs some for itself. */
  interpreterFiles: 512,
  /** The same in JavaScript and Lua. */
  smallInterpreterFiles: 256,
  /** Symbolic links on the way to a file, as many as in Linux. */
  linksFollowed: 40,
  /** Bytes of an object or a pack that git reads or fetches. */
  gitLimit: 134_217_728,
};
