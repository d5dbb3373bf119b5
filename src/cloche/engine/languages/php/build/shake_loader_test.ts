import { strictEqual, throws } from "node:assert/strict";
import { shakeLoader } from "./shake_loader.ts";

const LOADER = `const version = 1;
export function init(RuntimeName, PHPLoader) {
	// What nobody reads.
	var Module = PHPLoader;
	var HEAP8, HEAP16;
	var unused = () => {
		return GOTHandler;
	};
	function getWasmImports() {
		return {
			env: wasmImports,
			'GOT.mem': new Proxy(wasmImports, GOTHandler),
			'GOT.func': new Proxy(wasmImports, GOTHandler),
		};
	}
	var FS = {
		filesystems: { MEMFS, PROXYFS },
	};
	function initRuntime() {
		SOCKFS.root = FS.mount(SOCKFS, {}, null);
		PIPEFS.root = FS.mount(PIPEFS, {}, null);
		write();
	}
	var SOCKFS = {};
	/**
	 * Nor this.
	 */
	var write = () =>
		HEAP8.fill(0);
	write.sig = 'v';
	function other() {}
	other.sig = 'i';
	registerWasmPlugin();
	FS.createPreloadedFile = FS_createPreloadedFile;
	FS.preloadFile = FS_preloadFile;
	FS.staticInit();
	PHPWASM.init();
	Module['FS'] = FS;
	Module['ccall'] = other;
	var wasmImports = {
		write,
		other: other,
	};
	initRuntime(getWasmImports);
	DNS.address_map.addrs.localhost = '127.0.0.1';
	if (PHPLoader.debug) {
		other();
	}
	return PHPLoader;
}
`;

const SHAKEN = `const version = 1;
export function init(RuntimeName, PHPLoader) {
	var Module = PHPLoader;
	var HEAP8, HEAP16;
	function getWasmImports() {
		return {
			env: wasmImports,
		};
	}
	var FS = {
		filesystems: { MEMFS },
	};
	function initRuntime() {
		write();
	}
	var write = () =>
		HEAP8.fill(0);
	FS.staticInit();
	Module['FS'] = FS;
	var wasmImports = {
		write: write,
	};
	initRuntime(getWasmImports);
	return PHPLoader;
}
`;

Deno.test("what nothing leads to is taken out of the loader", () => {
  strictEqual(shakeLoader(LOADER, ["write"]), SHAKEN);
});

Deno.test("a loader that lacks something is refused", () => {
  throws(() => shakeLoader(LOADER, ["write", "read"]), /does not have every import/);
  throws(
    () => shakeLoader(LOADER.replace("PHPWASM.init();", ""), ["write"]),
    /not the pinned version/,
  );
});
