/** Takes Ruby's standard library out of its module, without the parts that are of no use here. */

import { FolderFiles } from "../../../fs/folder.ts";
import { type OpenBlob, PackageFiles } from "../../../fs/packages.ts";
import { Quota, QUOTA_BYTES } from "../../../fs/quota.ts";
import { Tree } from "../../../fs/tree.ts";
import { Vm } from "../vm/vm.ts";
import { concatBytes } from "../../../text/bytes.ts";
import { Wasi } from "../../../wasi/wasi.ts";

/** Not below /usr: the module has some of that inside, and sees nothing else there. */
const LIBRARY = "/opt/ruby";
const STANDARD = "/usr/local/lib/ruby/4.0.0/";
const GEM = /^\/usr\/local\/lib\/ruby\/gems\/4\.0\.0\/gems\/(\w+(?:[-_][a-z]\w*)*)-[^/]+\/lib\//;
/** Libraries that need a terminal or sockets, or install things themselves. */
const GEMS_LEFT_OUT = new Set(
  "rdoc irb reline readline repl_type_completor typeprof net-imap net-ftp net-smtp net-pop rinda drb bundler".split(
    " ",
  ),
);
const LEFT_OUT = /^(bundler|rubygems|syntax_suggest)(\/|\.rb$)|^(bundled_gems|un|mkmf)\.rb$|\.(rbs|rbi|md)$/;
/** The only part of RubyGems that works alone: comparing versions. */
const KEPT = /^rubygems\/(version|requirement)\.rb$/;

/** Prints each file: its path, a line end, its size, a line end, its bytes. */
const PRINT = `
$stdout.binmode
walk = ->(folder) do
  Dir.children(folder).sort.each do |name|
    path = folder + "/" + name
    next walk[path] if File.directory?(path)
    data = File.binread(path)
    $stdout.write(path, "\\n", data.bytesize.to_s, "\\n", data)
  end
end
walk["/usr/local/lib/ruby"]
`;

/** The library's files by their paths below LIBRARY. */
export function readLibrary(wasm: Uint8Array): Map<string, Uint8Array> {
  const printed: Uint8Array[] = [];
  const vm = new Vm(
    new WebAssembly.Module(wasm as Uint8Array<ArrayBuffer>),
    wasiFor(new Tree([]), (data) => printed.push(data.slice())),
  );
  vm.start(["ruby", "-EUTF-8", "-e_=0"]);
  if (!vm.run(PRINT)) throw new Error("Ruby could not list its library");
  const files = new Map<string, Uint8Array>();
  for (const [path, data] of split(concatBytes(printed))) {
    const place = placeOf(path);
    if (place) files.set(place, data);
  }
  return files;
}

function* split(data: Uint8Array): Generator<[string, Uint8Array]> {
  const line = (at: number): [string, number] => {
    const end = data.indexOf(10, at);
    return [new TextDecoder().decode(data.subarray(at, end)), end + 1];
  };
  for (let at = 0; at < data.length;) {
    const [path, after] = line(at);
    const [size, start] = line(after);
    at = start + Number(size);
    yield [path, data.subarray(start, at)];
  }
}

function placeOf(path: string): string | null {
  const gem = GEM.exec(path);
  if (gem) return GEMS_LEFT_OUT.has(gem[1]) ? null : kept(`gems/${path.slice(gem[0].length)}`, "gems/");
  return path.startsWith(STANDARD)
    ? kept(path.slice("/usr/local/lib/ruby/".length).replace("/wasm32-wasi/", "/"), "4.0.0/")
    : null;
}

function kept(place: string, folder: string): string | null {
  const name = place.slice(folder.length);
  return LEFT_OUT.test(name) && !KEPT.test(name) ? null : place;
}

/** The folder in which the module sees the files. */
export function libraryFolder(archive: Uint8Array): FolderFiles {
  const blob: OpenBlob = {
    size: archive.length,
    read: (into, position) => into.set(archive.subarray(position, position + into.length)),
    close() {},
  };
  const files = new PackageFiles(() => blob, [{ name: "library", version: "", path: "library.zip" }]);
  const quota = new Quota(new SharedArrayBuffer(QUOTA_BYTES), 0);
  return new FolderFiles({ target: LIBRARY, host: "", readOnly: true }, files, quota);
}

/** A WASI with these files and nothing else. */
export function wasiFor(tree: Tree, stdout: (data: Uint8Array) => void): Wasi {
  const stdin = () => new Uint8Array(0);
  const stderr = (data: Uint8Array) => void Deno.stderr.writeSync(data);
  return new Wasi({ args: ["ruby"], env: {}, tree, stdin, stdout, stderr, sleep: () => true });
}
