/** Processes that programs of other languages start: their descriptors, and how they have ended. */

import type { ChildDescriptor, ChildRequest } from "../../../protocol.ts";
import type { Bell } from "../../../worker/pipes/bell.ts";
import { DeviceStream, TextStream } from "../shell/descriptors/devices.ts";
import type { OpenStream } from "../shell/descriptors/stream.ts";
import { DescriptorTable } from "../shell/descriptors/table.ts";
import type { SystemFiles } from "../shell/processes/system_files.ts";
import { SharedPipeStream } from "./shared_stream.ts";

const ENDED = 0;
const CODE = 1;
const SIGNAL = 2;
/** The descriptors of a new process; `inherited` are those of the one who starts it, and stay its own. */
export function openDescriptors(
  { descriptors }: ChildRequest,
  inherited: DescriptorTable,
  files: SystemFiles,
  bell: Bell,
): DescriptorTable {
  const table = new DescriptorTable();
  for (const [number, descriptor] of Object.entries(descriptors)) {
    const fd = Number(number);
    if (descriptor.type === "same") table.duplicate(descriptor.as, fd);
    else if (descriptor.type !== "inherited") table.set(fd, openStream(descriptor, files, bell));
    else {
      const held = inherited.save(descriptor.from);
      if (held) table.restore(fd, held);
    }
  }
  return table;
}

function openStream(
  descriptor: Exclude<ChildDescriptor, { type: "inherited" | "same" }>,
  files: SystemFiles,
  bell: Bell,
): OpenStream {
  switch (descriptor.type) {
    case "pipe":
      return new SharedPipeStream(bell, descriptor.pipe, descriptor.end);
    case "bytes":
      return new TextStream(descriptor.data);
    case "file":
      return openFile(descriptor, files);
    default:
      return new DeviceStream("null");
  }
}

function openFile(
  { path, append, position }: Extract<ChildDescriptor, { type: "file" }>,
  files: SystemFiles,
): OpenStream {
  const stream = files.open(path, { read: false, write: true, append });
  if (!append) stream.seek(position, "start");
  return stream;
}

/** Notes how a process has ended, for whoever waits for it. */
export function noteEnd({ exit }: ChildRequest, bell: Bell, code: number, signal = 0): void {
  const words = new Int32Array(exit);
  Atomics.store(words, CODE, code);
  Atomics.store(words, SIGNAL, signal);
  Atomics.store(words, ENDED, 1);
  bell.ring();
}
