// readline/promises.
const { Interface: Base } = require("readline");

class Interface extends Base {
  question(text) {
    return new Promise((resolve) => super.question(text, resolve));
  }
}

Object.assign(exports, { Interface, createInterface: (options, output) => new Interface(options, output) });
