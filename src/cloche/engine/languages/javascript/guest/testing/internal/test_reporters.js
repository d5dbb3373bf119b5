// Reporters: events of tests become text.
const { inspect } = require("internal/inspect");

const COLUMNS = 20;

/** What reporters need of a failure, as plain data. */
function describeError({ failureType, message, cause }) {
  const fields = { failureType };
  const error = cause?.thrown;
  const isError = error instanceof Error;
  fields.error = message ?? (cause ? textOf(error) : "");
  fields.code = isError && error.code !== undefined ? error.code : "ERR_TEST_FAILURE";
  if (isError && error.name !== "Error") fields.name = textOf(error.name);
  let values = "";
  if (isError && error.code === "ERR_ASSERTION") {
    values = ["expected", "actual"].map((key) => toYaml(key, error[key])).join(
      "",
    );
    fields.operator = error.operator;
  }
  const stack = isError ? framesOf(error) : undefined;
  const { name, operator, code } = fields;
  const yaml = [["failureType", failureType], ["error", fields.error], ["code", code], [
    "name",
    name,
  ]]
    .map(([key, value]) => toYaml(key, value)).join("") +
    values + toYaml("operator", operator) + toYaml("stack", stack);
  return { yaml, shown: cause ? shown(error) : inspect(message) };
}

function textOf(value) {
  try {
    return `${value}`;
  } catch {
    return inspect(value);
  }
}

function shown(error) {
  try {
    return inspect(error);
  } catch {
    return textOf(error);
  }
}

function framesOf({ stack }) {
  if (typeof stack !== "string") return undefined;
  const frames = stack.split("\n").filter((line) => /^\s*at /.test(line)).map((
    line,
  ) => line.replace(/^\s*at /, ""));
  return frames.length > 0 ? frames.join("\n") : undefined;
}

/** A field of TAP's details. */
function toYaml(name, value, indent = "", seen = new Set()) {
  const start = `${indent}${name}:`;
  if (value === undefined) return "";
  if (value === null) return `${start} ~\n`;
  if (typeof value === "string" && value.includes("\n")) {
    return `${start} |-\n${value.split("\n").map((line) => `${indent}  ${line}\n`).join("")}`;
  }
  if (
    typeof value !== "object" || value instanceof Date ||
    value instanceof RegExp
  ) return `${start} ${inspect(value)}\n`;
  if (seen.has(value) || seen.size > 50) return `${start} <Circular>\n`;
  const inner = new Set(seen).add(value);
  const fields = Object.entries(
    value instanceof Map ? Object.fromEntries(value) : value,
  );
  return `${start}\n${
    fields.map(([key, each]) => toYaml(key, each, `${indent}  `, inner)).join(
      "",
    )
  }`;
}

const indented = (text, spaces) => text.split("\n").map((line) => `${spaces}${line}`).join("\n");
const spacesOf = (nesting, width) => " ".repeat(nesting * width);

class TapReporter {
  #text = "TAP version 13\n";

  add(type, data) {
    const before = this.#text;
    this.#text = "";
    return before + this.#line(type, data);
  }

  end() {
    const before = this.#text;
    this.#text = "";
    return before;
  }

  #line(type, data) {
    const spaces = spacesOf(data.nesting ?? 0, 4);
    if (type === "test:start") {
      return `${spaces}# Subtest: ${escapeTap(data.name)}\n`;
    }
    if (type === "test:plan") return `${spaces}1..${data.count}\n`;
    if (type === "test:diagnostic") {
      return indented(data.message, `${spaces}# `) + "\n";
    }
    if (type === "test:output") {
      return data.message.replace(/\n$/, "").split("\n").map((line) => `# ${line}\n`).join("");
    }
    const { name, testNumber, details, file, line, column } = data;
    const failed = type === "test:fail";
    const fields = [
      `duration_ms: ${details.duration_ms}\n`,
      details.type === "suite" ? "type: 'suite'\n" : "",
    ];
    if (failed && file) {
      fields.push(`location: ${inspect(`${file}:${line}:${column}`)}\n`);
    }
    if (failed) fields.push(details.yaml);
    const head = `${spaces}${failed ? "not ok" : "ok"} ${testNumber} - ${escapeTap(name)}${tapDirective(data)}\n`;
    return `${head}${indented(`---\n${fields.join("")}...`, `${spaces}  `)}\n`;
  }
}

function tapDirective({ skip, todo }) {
  const word = (name, given) => ` # ${name}${typeof given === "string" && given ? ` ${escapeTap(given)}` : ""}`;
  if (skip !== false) return word("SKIP", skip);
  return todo !== false ? word("TODO", todo) : "";
}

/** As Node writes them: a line's end becomes `\\n`, with both backslashes. */
function escapeTap(text) {
  const plain = `${text}`.replaceAll("\n", "\\n").replaceAll("\t", "\\t")
    .replaceAll("\r", "\\r");
  return plain.replaceAll("\\", "\\\\").replaceAll("#", "\\#");
}

class SpecReporter {
  #open = [];
  #failed = [];

  add(type, data) {
    const spaces = spacesOf(data.nesting ?? 0, 2);
    if (type === "test:start") return this.#begin(data);
    if (type === "test:diagnostic") return `${spaces}ℹ ${data.message}\n`;
    if (type === "test:output") return data.message;
    if (type !== "test:pass" && type !== "test:fail") return "";
    this.#open = this.#open.slice(0, data.nesting);
    const failed = type === "test:fail";
    const ownFailure = failed && data.details.failureType !== "subtestsFailed";
    if (ownFailure) this.#failed.push(data);
    const mark = failed ? "✖" : data.skip !== false ? "﹣" : "✔";
    return `${specLine(data, mark, spaces)}${ownFailure ? specError(data, spaces) : ""}`;
  }

  /** A test with others in it is announced when the first of these is. */
  #begin({ name, nesting }) {
    this.#open = this.#open.slice(0, nesting);
    let text = "";
    for (const each of this.#open) {
      if (!each.shown) text += `${spacesOf(each.nesting, 2)}▶ ${each.name}\n`;
      each.shown = true;
    }
    this.#open.push({ name, nesting, shown: false });
    return text;
  }

  end() {
    if (this.#failed.length === 0) return "";
    const cwd = `${host("cwd")}/`;
    const one = (data) => {
      const file = data.file?.startsWith(cwd) ? data.file.slice(cwd.length) : data.file;
      const place = file ? `test at ${file}:${data.line}:${data.column}\n` : "";
      return `${place}${specLine(data, "✖", "")}${specError(data, "")}`;
    };
    return `\n✖ failing tests:\n\n${this.#failed.map(one).join("")}`;
  }
}

function specLine({ name, skip, todo, details }, mark, spaces) {
  const time = details.duration_ms > 0 ? ` (${details.duration_ms}ms)` : "";
  const reason = (given, word) => ` # ${typeof given === "string" && given ? given : word}`;
  const note = skip !== false ? reason(skip, "SKIP") : todo !== false ? reason(todo, "TODO") : "";
  return `${spaces}${mark} ${name}${time}${note}\n`;
}

function specError({ details }, spaces) {
  return `${indented(details.shown ?? "", `${spaces}  `)}\n\n`;
}

class DotReporter {
  #count = 0;
  #failed = [];

  add(type, data) {
    if (type === "test:output") return "";
    if (type !== "test:pass" && type !== "test:fail") return "";
    const failed = type === "test:fail";
    if (failed) this.#failed.push(data);
    return `${failed ? "X" : "."}${++this.#count % COLUMNS === 0 ? "\n" : ""}`;
  }

  end() {
    const last = this.#count % COLUMNS === 0 ? "" : "\n";
    if (this.#failed.length === 0) return last;
    const one = (data) => specLine(data, "✖", "") + indented(data.details.shown ?? "", "  ") + "\n";
    return `${last}\nFailed tests:\n\n${this.#failed.map(one).join("")}`;
  }
}

const KINDS = { tap: TapReporter, spec: SpecReporter, dot: DotReporter };

function makeReporter(name) {
  return new (KINDS[name] ?? TapReporter)();
}

Object.assign(exports, { describeError, makeReporter });
