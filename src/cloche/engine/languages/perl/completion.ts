/** Completes Perl: modules and keywords here, variables and functions by asking perl. */

import type { Tree } from "../../fs/tree.ts";
import { completeModule, type Completion, listFolder } from "../module_completion.ts";
import { LIBRARY, OWN } from "./vm/places.ts";

/** A query to perl: a sigil, a package and the beginning of a name. */
interface Sought {
  sigil: string;
  place: string;
  start: string;
}

const LOADS = /(?:^|[;{}\n])\s*(?:use|no|require)\s+((?:\w+::)*\w*)$/;
const WORD = /([$@%&]?)((?:\w+::)*)(\w*)$/;
/** Names after an arrow: called on an object or a class, or taken from a reference. */
const CALL = /(?:\$(\w+)|\b([A-Za-z]\w*(?:::\w+)*))\s*->\s*(\w*)$/;
/** Words in a list of words: their meaning is unknown. */
const LISTED = /\bqw\s*(?:\([^)]*|\[[^\]]*|\{[^}]*|\/[^/]*)$/;
const WORDS = (
  "abs and atan2 binmode bless caller chdir chmod chomp chop chr close cmp continue cos default defined delete die do " +
  "each else elsif eof eq eval exec exists exit exp fc for foreach format ge getc given gmtime goto grep gt hex if " +
  "index int join keys last lc lcfirst le length link local localtime log lt map mkdir my ne next no not oct open " +
  "opendir or ord our pack package pop pos print printf prototype push quotemeta qw rand read readdir readline " +
  "readlink redo ref rename require return reverse rewinddir rindex rmdir say scalar seek select shift sin sleep sort " +
  "splice split sprintf sqrt srand stat state sub substr symlink sysopen sysread system syswrite tell tie time " +
  "truncate uc ucfirst undef unless unlink unpack unshift untie until use utime values wait wantarray warn when while " +
  "write x xor"
).split(" ");

/** Null if no module is being named. */
export function completeUse(tree: Tree, ahead: string): Completion | null {
  const name = LOADS.exec(ahead)?.[1];
  if (name === undefined) return null;
  const own = `${OWN}/lib`;
  const versions = listFolder(tree, own).map((each) => `${own}/${each.name}`);
  const roots = [
    ...versions,
    ...versions.map((each) => `${each}/wasm32-wasi`),
    LIBRARY,
    "/opt/languages/perl",
    "/workspace",
  ];
  return completeModule(
    { tree, roots, separator: "::", endings: [".pm"] },
    name,
    ahead.length,
  );
}

/** The object or class whose methods are wanted, and the beginning of the method. */
export function findCall(
  ahead: string,
): { object: string; className: string; start: string } | null {
  const [found, object = "", className = "", start = ""] = CALL.exec(ahead) ??
    [];
  return found === undefined ? null : { object, className, start };
}

/** Null where only running the code would show it. */
export function findCompletions(ahead: string): Sought | null {
  const [whole, sigil, place, start] = WORD.exec(ahead) ?? ["", "", "", ""];
  const before = ahead.slice(0, ahead.length - whole.length).at(-1) ?? "";
  if (
    whole === "" || LISTED.test(ahead) || before === ">" ||
    before === "{" && sigil === "" && place === ""
  ) {
    return null;
  }
  return { sigil, place: place === "" ? "main" : place.slice(0, -2), start };
}

export function wordsFor({ sigil, place, start }: Sought): string[] {
  return sigil === "" && place === "main" && start !== "" ? WORDS.filter((word) => word.startsWith(start)) : [];
}

/** Perl code that lists the names of all methods of the class and its base classes. */
export function methodsCode(object: string, className: string): string {
  const holder = object === "" ? `'${className}'` : `ref $main::${object}`;
  return `{ require mro; my %found; no strict 'refs'; my $class = ${holder};
    for my $each ($class eq '' ? () : @{mro::get_linear_isa($class)}) {
      $found{$_} = 1 for grep { /^[A-Za-z]\\w*$/ and defined &{"\${each}::$_"} } keys %{"\${each}::"};
    }
    Cloche::ask('found', sort keys %found) }`;
}
