/** A stream that is closed by whoever lent it. */
import type { Stat } from "../../../../fs/files.ts";
import type { Later } from "../task.ts";
import type { OpenStream, StreamKind } from "./stream.ts";

export class SharedStream implements OpenStream {
  constructor(private readonly stream: OpenStream, readonly close: () => void) {}

  get kind(): StreamKind {
    return this.stream.kind;
  }

  get endless(): string | undefined {
    return this.stream.endless;
  }

  get path(): string | undefined {
    return this.stream.path;
  }

  read(most: number): Later<Uint8Array | undefined> {
    return this.stream.read(most);
  }

  unread(bytes: Uint8Array): void {
    this.stream.unread(bytes);
  }

  write(bytes: Uint8Array): Later<void> {
    return this.stream.write(bytes);
  }

  opened(): Later<void> {
    return this.stream.opened?.();
  }

  ready(): boolean {
    return this.stream.ready();
  }

  seek(offset: number, from: "start" | "current" | "end"): number {
    return this.stream.seek(offset, from);
  }

  stat(): Stat {
    return this.stream.stat();
  }

  truncate(size: number): void {
    this.stream.truncate(size);
  }

  onBroken(act: () => void): () => void {
    return this.stream.onBroken(act);
  }
}
