// readline: reads a stream line by line.
const EventEmitter = require("events");
const { StringDecoder } = require("string_decoder");

class Interface extends EventEmitter {
  #rest = "";
  #decoder = new StringDecoder("utf8");
  #lines = [];
  #waiting = [];
  #closed = false;
  #questions = [];

  constructor(options, output) {
    super();
    const { input, output: to = output, prompt = "> ", terminal = false } = options.input
      ? options
      : { input: options };
    Object.assign(this, { input, output: to, terminal, line: "", cursor: 0 });
    core.hidden(this, "text", prompt);
    input.on("data", (data) => this.#take(typeof data === "string" ? data : this.#decoder.write(data)));
    input.on("end", () => this.#end());
    input.on("error", (error) => this.emit("error", error));
  }

  #take(text) {
    const parts = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = parts.pop();
    for (const line of parts) this.#emitLine(line);
  }

  #emitLine(line) {
    if (this.#closed) return;
    const question = this.#questions.shift();
    if (question) return question(line);
    if (this.#waiting.length > 0) return this.#waiting.shift()({ value: line, done: false });
    if (this.iterated) this.#lines.push(line);
    this.emit("line", line);
  }

  #end() {
    if (this.#rest !== "") this.#emitLine(this.#rest.replace(/\r$/, ""));
    this.#rest = "";
    this.close();
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.input.pause?.();
    this.emit("close");
    for (const resolve of this.#waiting.splice(0)) resolve({ value: undefined, done: true });
  }

  pause() {
    this.input.pause();
    this.emit("pause");
    return this;
  }

  resume() {
    this.input.resume();
    return this;
  }

  setPrompt(text) {
    this.text = text;
  }

  getPrompt() {
    return this.text;
  }

  prompt() {
    this.output?.write(this.text);
    this.input.resume();
  }

  question(text, options, callback) {
    const act = typeof options === "function" ? options : callback;
    this.output?.write(text);
    this.#questions.push(act);
    this.input.resume();
  }

  write() {}

  [Symbol.asyncIterator]() {
    core.hidden(this, "iterated", true);
    return {
      next: () => {
        if (this.#lines.length > 0) return Promise.resolve({ value: this.#lines.shift(), done: false });
        if (this.#closed) return Promise.resolve({ value: undefined, done: true });
        return new Promise((resolve) => this.#waiting.push(resolve));
      },
      return: () => {
        this.close();
        return Promise.resolve({ value: undefined, done: true });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }
}
core.hidden(Interface.prototype.question, Symbol.for("nodejs.util.promisify.custom"), function (text) {
  return new Promise((resolve) => this.question(text, resolve));
});

const quiet = () => true;
Object.assign(exports, {
  Interface,
  createInterface: (options, output) => new Interface(options, output),
  clearLine: quiet,
  cursorTo: quiet,
  moveCursor: quiet,
  clearScreenDown: quiet,
  emitKeypressEvents: () => {},
});
core.lazy(exports, "promises", () => require("readline/promises"), true);
