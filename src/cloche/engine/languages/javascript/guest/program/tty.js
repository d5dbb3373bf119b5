// tty: there is none.
Object.assign(exports, { isatty: () => false });
for (const name of ["ReadStream", "WriteStream"]) exports[name] = class {};
