/** Copies files out of npm packages into a language's pack; run by the host, trusted, when a language is fetched. */

/** The path of an npm package in a full `node_modules` folder. */
export function packageFolder(modules: string, name: string): string {
  const direct = `${modules}/${name}`;
  // Deno links only direct dependencies at the top; the others are hoisted one level down.
  return exists(direct) ? direct : `${modules}/.deno/node_modules/${name}`;
}

/** Copies files of a package, each under the name given, and the package's licence. */
export function copyFiles(modules: string, name: string, target: string, files: Record<string, string>): void {
  const folder = packageFolder(modules, name);
  Deno.mkdirSync(target, { recursive: true });
  for (const [from, to] of Object.entries(files)) {
    Deno.mkdirSync(`${target}/${to}`.replace(/\/[^/]*$/, ""), { recursive: true });
    Deno.writeFileSync(`${target}/${to}`, Deno.readFileSync(`${folder}/${from}`));
  }
  for (const { name: file } of Deno.readDirSync(folder)) {
    if (/^licen[cs]e/i.test(file)) copyLicence(`${folder}/${file}`, target, name);
  }
}

function copyLicence(path: string, target: string, name: string): void {
  Deno.mkdirSync(`${target}/licences`, { recursive: true });
  Deno.writeFileSync(`${target}/licences/${name.replaceAll("/", "-")}.txt`, Deno.readFileSync(path));
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
