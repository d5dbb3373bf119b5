/** The names of the commands that packages bring, for folders that show commands as files. */

import { LIBRARIES, type OpenBlob, type Package, PackageFiles } from "../fs/packages.ts";
import { programsOf } from "../languages/bash/programs/package_programs.ts";
import { findScripts } from "../languages/bash/programs/python_scripts.ts";

const READ = { read: true, write: false, create: false, exclusive: false, truncate: false };
const LARGEST = 1 << 20;

/** Reads the packages at the first question only: most programs ask for commands that are always there. */
export class PackageCommands {
  #names: ReadonlySet<string> | undefined;

  constructor(private readonly openBlob: (path: string) => OpenBlob, private packages: Package[]) {}

  set(packages: Package[]): void {
    this.packages = packages;
    this.#names = undefined;
  }

  get names(): ReadonlySet<string> {
    return this.#names ??= new Set([...this.#scripts(), ...this.#programs()]);
  }

  /** The console scripts of Python's packages. */
  #scripts(): string[] {
    const own = this.packages.filter(({ language = "python" }) => language === "python");
    if (own.length === 0) return [];
    return findScripts(new PackageFiles(this.openBlob, own)).map(([name]) => name);
  }

  #programs(): string[] {
    const others = this.packages.filter(({ language = "python" }) => language !== "python");
    if (others.length === 0) return [];
    const files = new PackageFiles(this.openBlob, others);
    const bytes = (path: string) => {
      const text = read(files, path.slice(LIBRARIES.length + 1));
      return text === null ? null : new TextEncoder().encode(text);
    };
    return programsOf(others, bytes).map(({ name }) => name);
  }
}

function read(files: PackageFiles, path: string): string | null {
  const entry = files.find(path);
  if (entry?.kind !== "file" || entry.size > LARGEST) return null;
  const data = new Uint8Array(entry.size);
  const file = files.open(path, READ);
  try {
    file.read(data, 0);
  } finally {
    file.close();
  }
  return new TextDecoder().decode(data);
}
