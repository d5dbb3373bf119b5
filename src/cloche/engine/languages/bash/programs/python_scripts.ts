/** Programs that packages bring: the console scripts of their metadata, run by Python. */

import type { PackageFiles } from "../../../fs/packages.ts";
import type { Command } from "../shell/processes/command.ts";
import type { StartProgram } from "./language_programs.ts";

const READ = { read: true, write: false, create: false, exclusive: false, truncate: false };
const LIMIT = 1 << 16;
const ENTRY = /^([\w.-]+)\s*=\s*([\w.]+)\s*:\s*([\w.]+)\s*(\[.*\])?$/;

type Script = [name: string, module: string, attribute: string];

/** The console scripts of all installed packages. */
export function findScripts(files: PackageFiles): Script[] {
  const folders = files.list("").filter(({ name, kind }) => kind === "directory" && name.endsWith(".dist-info"));
  return folders.flatMap(({ name }) => readScripts(readText(files, `${name}/entry_points.txt`)));
}

/** The same as commands. */
export function packageCommands(files: PackageFiles, start: StartProgram): Command[] {
  return findScripts(files).map(([name, module, attribute]) => ({
    name,
    run(context) {
      const argv = ["python3", "-c", program(name, module, attribute), ...context.argv.slice(1)];
      return start("python", argv, context);
    },
  }));
}

function readScripts(text: string): Script[] {
  const found: Script[] = [];
  let section = "";
  for (const line of text.split("\n").map((each) => each.trim())) {
    const entry = ENTRY.exec(line);
    if (line.startsWith("[")) section = line;
    else if (section === "[console_scripts]" && entry) found.push([entry[1], entry[2], entry[3]]);
  }
  return found;
}

function program(name: string, module: string, attribute: string): string {
  const [first] = attribute.split(".");
  return `import sys; sys.argv[0] = "/usr/bin/${name}"; from ${module} import ${first}; sys.exit(${attribute}())`;
}

function readText(files: PackageFiles, path: string): string {
  const entry = files.find(path);
  if (entry?.kind !== "file" || entry.size > LIMIT) return "";
  const data = new Uint8Array(entry.size);
  files.open(path, READ).read(data, 0);
  return new TextDecoder().decode(data);
}
