import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The licence of every package whose code went into the bundle, in one file beside it. */
function licences(): Plugin {
  return {
    name: "licences",
    generateBundle(_options, bundle) {
      const folders = new Set<string>();
      for (const chunk of Object.values(bundle)) {
        const modules = chunk.type === "chunk" ? chunk.moduleIds : [];
        for (const id of modules) {
          const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replace(/^\0+/, ""));
          if (found && existsSync(join(found[0], "package.json"))) folders.add(found[0]);
        }
      }
      const texts = [...folders].map(licenceOf).sort();
      this.emitFile({
        type: "asset",
        fileName: "THIRD_PARTY_LICENSES",
        source: [...texts, BUNDLED].join("\n" + "-".repeat(80) + "\n\n"),
      });
    },
  };
}

const BUNDLED = `@yozora/ast, @yozora/character, @yozora/core-tokenizer, @yozora/parser (MIT)

They come inside slack-blocks-to-jsx and are under the licence text of the MIT entries above.
`;

function licenceOf(folder: string): string {
  const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  const text = file ? readFileSync(join(folder, file), "utf8").trim() : "";
  return `${about.name} ${about.version} (${about.license})\n\n${text}\n`;
}

export default defineConfig({
  plugins: [react(), licences()],
  build: {
    outDir: "built",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 2000,
    rollupOptions: {
      output: {
        entryFileNames: "page.js",
        assetFileNames: "page[extname]",
        codeSplitting: false,
      },
    },
  },
});
