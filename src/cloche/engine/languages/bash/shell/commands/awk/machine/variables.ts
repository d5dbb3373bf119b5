/** Global variables, among them those that awk itself reads or sets. */
import { Input, type Slot, toNumber, toText } from "../data/values.ts";
import type { MachineState } from "./state.ts";

/** A variable. */
export interface Cell {
  value: Slot;
}

/** A variable whose reading or setting does more. */
class HookedCell implements Cell {
  constructor(private readonly read: () => Slot, private readonly write: (value: Slot) => void) {}

  get value(): Slot {
    return this.read();
  }

  set value(value: Slot) {
    this.write(value);
  }
}

/** A variable that keeps its value and passes changes on. */
function watched(first: Slot, changed: (value: Slot) => void): Cell {
  let value = first;
  return new HookedCell(() => value, (next) => {
    value = next;
    changed(next);
  });
}

/** The variables that every program has, by name. */
export function makeSpecialCells(state: MachineState): Map<string, Cell> {
  const { record, conventions } = state;
  const text = (value: Slot) => toText(value, conventions);
  const cells: Record<string, Cell> = {
    NF: new HookedCell(() => record.count, (value) => record.count = Math.trunc(toNumber(value))),
    NR: new HookedCell(() => state.recordCount, (value) => state.recordCount = toNumber(value)),
    FNR: new HookedCell(() => state.fileRecordCount, (value) => state.fileRecordCount = toNumber(value)),
    FS: watched(" ", (value) => state.useSeparator(text(value))),
    FIELDWIDTHS: watched("", (value) => state.useWidths(text(value))),
    FPAT: watched("[^[:space:]]+", (value) => state.useContent(text(value))),
    OFS: watched(" ", (value) => {
      state.fieldSeparator = text(value);
      record.separator = state.fieldSeparator;
    }),
    ORS: watched("\n", (value) => state.recordSeparator = text(value)),
    RS: watched("\n", (value) => state.useRecordEnd(text(value))),
    RT: new HookedCell(() => state.terminator, (value) => state.terminator = text(value)),
    SUBSEP: watched("\x1c", (value) => state.keySeparator = text(value)),
    CONVFMT: watched("%.6g", (value) => conventions.convert = text(value)),
    OFMT: watched("%.6g", (value) => conventions.output = text(value)),
    IGNORECASE: watched(0, (value) => state.useCase(value)),
    RSTART: { value: 0 },
    RLENGTH: { value: -1 },
    FILENAME: { value: "" },
    ERRNO: { value: "" },
    ARGC: { value: 0 },
    BINMODE: { value: 0 },
    LINT: { value: 0 },
    TEXTDOMAIN: { value: "messages" },
  };
  return new Map(Object.entries(cells));
}

/** A value given on the command line. */
export function inputValue(text: string): Input {
  return new Input(text);
}
