/** Starts R in a module that has just been loaded, and defines the functions that a worker calls. */

import type { Memo, RModule, Value } from "../vm/vm.ts";

const ARGUMENTS = ["R", "--no-readline", "--vanilla", "--slave"];
const PARSED = 1;
const ENVIRONMENT_TYPE = 4;

export const ENVIRONMENT = {
  R_HOME: "/usr/lib/R",
  HOME: "/home/user",
  USER: "user",
  LOGNAME: "user",
  LANG: "en_US.UTF-8",
  TZ: "UTC",
  TMPDIR: "/tmp",
  PATH: "/usr/local/bin:/usr/bin:/bin",
  FONTCONFIG_FILE: "/usr/share/fonts.conf",
  R_ENABLE_JIT: "0",
  R_DISABLE_BYTECODE: "1",
};

/** Files of the prelude in their order. */
export const PRELUDE = ["run.R", "errors.R", "plots.R", "sandbox.R"];

/** R's own functions call `pointer`. */
export function bootR(
  { module, memo, pointer }: { module: RModule; memo: Memo; pointer: number },
  prelude: string,
): void {
  const argv = module._malloc(4 * (ARGUMENTS.length + 1));
  ARGUMENTS.forEach((text, i) => module.setValue(argv + 4 * i, module.allocateUTF8(text), "i32"));
  module.setValue(argv + 4 * ARGUMENTS.length, 0, "i32");
  module._Rf_initialize_R(ARGUMENTS.length, argv);
  module._setup_Rmainloop();
  module._R_ReplDLLinit();
  module.setValue(
    module._R_CStackStart,
    module._emscripten_stack_get_current(),
    "i32",
  );
  module.setValue(module._R_CStackDir, 1, "i32");
  memo.prelude = evaluate(
    module,
    `function(host) {\n${prelude}\nenvironment()\n}`,
    pointer,
  );
}

/** Runs the prelude, whose value is the environment of our functions; they call `host`. */
function evaluate(module: RModule, code: string, pointer: number): Value {
  const nil = module.getValue(module._R_NilValue, "i32");
  const status = module._malloc(4);
  const bytes = new TextEncoder().encode(code);
  const at = module.allocateUTF8(code);
  const text = module._Rf_protect(module._Rf_allocVector(16, 1));
  module._SET_STRING_ELT(text, 0, module._Rf_mkCharLenCE(at, bytes.length, 1));
  const parsed = module._Rf_protect(
    module._R_ParseVector(text, -1, status, nil),
  );
  if (module.getValue(status, "i32") !== PARSED) {
    throw new Error("R cannot read its prelude");
  }
  const tag = module._Rf_install(module.allocateUTF8("native symbol"));
  const host = module._Rf_protect(
    module._R_MakeExternalPtrFn(pointer, tag, nil),
  );
  module._R_PreserveObject(host);
  let value = nil;
  for (let i = 0; i < module._Rf_length(parsed); i++) {
    const call = module._Rf_protect(
      module._Rf_lcons(
        module._VECTOR_ELT(parsed, i),
        module._Rf_cons(host, nil),
      ),
    );
    value = module._R_tryEval(
      call,
      module.getValue(module._R_BaseEnv, "i32"),
      status,
    );
    module._Rf_unprotect(1);
    if (module.getValue(status, "i32") !== 0) {
      throw new Error("R's prelude failed");
    }
  }
  module._Rf_unprotect(3);
  if (module._TYPEOF(value) !== ENVIRONMENT_TYPE) {
    throw new Error("R's prelude gave no environment");
  }
  module._R_PreserveObject(value);
  return value;
}
