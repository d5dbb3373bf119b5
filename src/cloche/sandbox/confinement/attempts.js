// Tries to leave the sandbox it runs in, with every permission that Deno can give, and prints what succeeded as JSON.
// Arguments: the folder laid out by probe.py, the port of a TCP listener, and the id of the process that started it.

const [folder, port, parent] = Deno.args;
const inside = `${folder}/inside`;
const libc = Deno.dlopen("libc.so.6", {
  kill: { parameters: ["i32", "i32"], result: "i32" },
  syscall: { parameters: ["i64", "i64", "i64", "i64", "i64", "i64"], result: "i32" },
  _exit: { parameters: ["i32"], result: "void" },
}).symbols;

const CLONE = Deno.build.arch === "x86_64" ? 56n : 220n;
const SIGCHLD = 17n;
const NEW_USER = 0x10000000n;

function clone(flags) {
  const child = libc.syscall(CLONE, flags | SIGCHLD, 0n, 0n, 0n, 0n);
  if (child === 0) libc._exit(0);
  return child > 0;
}

async function connected(options) {
  (await Deno.connect(options)).close();
}

const attempts = {
  "read a file outside": () => Deno.readTextFileSync(`${folder}/secret`),
  "read a file outside through a link": () => Deno.readTextFileSync(`${inside}/link`),
  "write a file outside": () => Deno.writeTextFileSync(`${folder}/written`, "x"),
  "write a file outside through a link": () => Deno.writeTextFileSync(`${inside}/link`, "x"),
  "change the mode of a file outside": () => Deno.chmodSync(`${inside}/link`, 0o644),
  "write to a read-only folder": () => Deno.writeTextFileSync(`${folder}/read-only/written`, "x"),
  "read the environment of the parent": () => Deno.readTextFileSync(`/proc/${parent}/environ`),
  "connect to the host's network": () => connected({ hostname: "127.0.0.1", port: Number(port) }),
  "signal the parent": () => libc.kill(Number(parent), 0) === 0,
  "start a process": () => clone(0n),
  "make a user namespace": () => clone(NEW_USER),
  "connect to a socket outside": () => connected({ transport: "unix", path: `${folder}/socket` }),
};

const needs = {
  "read a read-only folder": () => Deno.readTextFileSync(`${folder}/read-only/file`),
  "write to a writable folder": () => Deno.writeTextFileSync(`${inside}/written`, "x"),
  "connect to a socket inside": () => connected({ transport: "unix", path: `${inside}/socket` }),
};

async function succeeded(deeds) {
  const names = [];
  for (const [name, deed] of Object.entries(deeds)) {
    try {
      if ((await deed()) !== false) names.push(name);
    } catch {
      // refused
    }
  }
  return names;
}

console.log(JSON.stringify({ escaped: await succeeded(attempts), worked: await succeeded(needs) }));
