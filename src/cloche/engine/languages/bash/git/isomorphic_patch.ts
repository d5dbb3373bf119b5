/** Turns the one-file build of isomorphic-git into a module. */

const HEAD = /^!function\(t,e\)\{[^{}]*\}\(self,(?=\(\)=>)/m;
const MAP = /\n\/\/# sourceMappingURL=.*\s*$/;

/** It would read the environment, and compress through `Response`, which a sealed worker has not; it manages without. */
const HIDDEN = "const process=undefined,CompressionStream=undefined;";

/** Rewrites its source: the library becomes the default export instead of a global. */
export function patchGit(source: string): string {
  if (!HEAD.test(source)) throw new Error("cannot patch isomorphic-git: its head is not as in version 1.44.11");
  const body = source.replace(HEAD, () => HIDDEN + "let library;((_,make)=>{library=make()})(self,");
  return `${body.replace(MAP, "")}\nexport default library;\n`;
}
