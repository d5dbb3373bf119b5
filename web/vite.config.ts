/** Builds the page into the package, where the server finds it: `make page`. */

import { defineConfig } from "vite";

export default defineConfig({
  // Relative, so that Play works below any address of a plain web host.
  base: "./",
  oxc: { jsx: { runtime: "automatic" } },
  build: {
    outDir: "../src/cloche/server/page/built",
    emptyOutDir: true,
    // The server keeps what is in this folder for a year: each name has a hash in it.
    assetsDir: "page",
    target: "es2023",
    modulePreload: { polyfill: false },
    // The strict content policy has no place for data addresses of scripts and fonts.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
    rolldownOptions: { input: ["index.html"] },
  },
  server: { proxy: { "/api": "http://127.0.0.1:8484", "/socket.io": { target: "http://127.0.0.1:8484", ws: true } } },
});
