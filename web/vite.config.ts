/** Builds the page into the package, where the server finds it: `make page`. */

import { defineConfig, type Plugin } from "vite";

/** Puts the script of frame.html into it: a closed frame can load nothing, also not from here. */
function inlineFrame(): Plugin {
  return {
    name: "inline-frame",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["frame.html"];
      const script = Object.values(bundle).find((each) => each.type === "chunk" && each.name === "frame");
      if (page?.type !== "asset" || script?.type !== "chunk") return;
      if (script.imports.length > 0) this.error(`the script of frame.html may import nothing: ${script.imports}`);
      const code = script.code.replaceAll("</script", "<\\/script").trim();
      page.source = String(page.source)
        .replace(/\s*<script type="module"[^>]*><\/script>/, "")
        .replace("</body>", () => `<script type="module">${code}</script></body>`);
      delete bundle[script.fileName];
    },
  };
}

/** Of KaTeX' fonts only those that every browser of today reads. */
function keepNewFonts(): Plugin {
  return {
    name: "keep-new-fonts",
    enforce: "pre",
    transform(code, id) {
      if (!id.includes("katex") || !id.endsWith(".css")) return;
      return code.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)/g, "");
    },
  };
}

export default defineConfig({
  // Relative, so that Play works below any address of a plain web host.
  base: "./",
  oxc: { jsx: { runtime: "automatic" } },
  plugins: [inlineFrame(), keepNewFonts()],
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
    rolldownOptions: {
      input: { index: "index.html", frame: "frame.html", play: "play.html", embed: "embed.html" },
    },
  },
  server: { proxy: { "/api": "http://127.0.0.1:8484", "/socket.io": { target: "http://127.0.0.1:8484", ws: true } } },
});
