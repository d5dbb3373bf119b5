/** What awk needs of the place where it runs: streams of bytes, files and commands. */

/** Bytes to be read one part after another. */
export interface ByteReader {
  /** The next bytes, or undefined at the end. */
  read(): Uint8Array | undefined | Promise<Uint8Array | undefined>;
  /** Ends reading; returns the exit code of a command, 0 of a file. */
  close(): Promise<number>;
}

/** A place to write bytes to. */
export interface ByteWriter {
  /** True once nobody reads any more. */
  readonly closed: boolean;
  write(data: Uint8Array): void | Promise<void>;
  /** Ends writing; returns the exit code of a command, 0 of a file. */
  close(): Promise<number>;
}

/** A file that cannot be opened; the message is the system's, such as "No such file or directory". */
export class OpenError extends Error {
  constructor(message: string, readonly code?: string) {
    super(message);
  }

  get isDirectory(): boolean {
    return this.code === "EISDIR";
  }
}

export interface AwkHost {
  /** Whether every byte is a character: in the locale C, and with -b. */
  bytes: boolean;
  readonly environment: Record<string, string>;
  readonly stdin: ByteReader;
  readonly stdout: ByteWriter;
  readonly stderr: ByteWriter;
  /** Opens a file; throws an `OpenError`. */
  openInput(path: string): Promise<ByteReader>;
  openOutput(path: string, append: boolean): Promise<ByteWriter>;
  /** Runs a command of the shell, with the streams of awk; returns its exit code. */
  runCommand(command: string): Promise<number>;
  /** Starts a command and reads what it prints. */
  openCommandOutput(command: string): Promise<ByteReader>;
  /** Starts a command that reads what is written. */
  openCommandInput(command: string): Promise<ByteWriter>;
  /** Starts a command for both. */
  openCoprocess(command: string): Promise<{ reader: ByteReader; writer: ByteWriter }>;
  /** Throws if the run was interrupted, or waits while others have their turn; loops call it now and then. */
  attend(): void | Promise<void>;
}
