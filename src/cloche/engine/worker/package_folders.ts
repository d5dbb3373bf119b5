/** The packages in one worker: the language gets its own, those of the others are plain files. */

import type { Files, Folder } from "../fs/files.ts";
import type { FolderFiles } from "../fs/folder.ts";
import { LIBRARIES, type OpenBlob, type Package, PackageFiles, PACKAGES } from "../fs/packages.ts";
import { PackageCommands } from "./package_commands.ts";
import { CATALOG, type Language } from "../languages/catalog.ts";

/** Languages that handle Python's packages themselves. */
const OWN_PYTHON_PACKAGES: Language[] = ["python", "bash"];

export class PackageFolders {
  /** The packages of the language. */
  own: Package[];
  /** The commands that packages of all languages bring. */
  readonly commands: PackageCommands;
  readonly #language: string;
  readonly #trees: { target: string; files: PackageFiles; python: boolean }[] = [];

  constructor(language: Language, openBlob: (path: string) => OpenBlob, packages: Package[]) {
    this.#language = CATALOG[language].packagesOf ?? language;
    this.own = this.#choose(packages);
    this.commands = new PackageCommands(openBlob, packages);
    const places = OWN_PYTHON_PACKAGES.includes(language) ? [LIBRARIES] : [LIBRARIES, PACKAGES];
    for (const target of places) {
      const python = target === PACKAGES;
      const files = new PackageFiles(openBlob, select(packages, python), Date.now());
      this.#trees.push({ target, files, python });
    }
  }

  folders(make: (folder: Folder, files: Files) => FolderFiles): FolderFiles[] {
    return this.#trees.map(({ target, files }) => make({ target, host: "", readOnly: true }, files));
  }

  /** Sets the packages; returns those of the language if they have changed. */
  set(packages: Package[]): Package[] | null {
    for (const { files, python } of this.#trees) files.set(select(packages, python));
    this.commands.set(packages);
    const before = JSON.stringify(this.own);
    this.own = this.#choose(packages);
    return JSON.stringify(this.own) === before ? null : this.own;
  }

  #choose(packages: Package[]): Package[] {
    // The shell has the programs of all languages.
    if (this.#language === "bash") return packages;
    return packages.filter(({ language = "python" }) => language === this.#language);
  }
}

function select(packages: Package[], python: boolean): Package[] {
  return packages.filter(({ language = "python" }) => (language === "python") === python);
}
