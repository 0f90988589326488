import { join } from "node:path";
import { defineConfig } from "vite";
import solid from "vite-plugin-solid";

/** Modules that are loaded before the first view and that other views use too. */
const usedByMostViews =
  /solid-js|packages\/sdk\/src|src\/(?:state\/(?!server-|maintenance)|i18n\/(?!zh)|ui\/(?:time|icon|dialog|modal|menu|copy-button|numbers|formats|output|diff-|line-tokens)|views\/(?:composer|asks|link|menu-button|status-mark|model-picker|session\/|overlay\/search-words|settings\/visible-sections))/;

// oxlint-disable-next-line import/no-default-export -- vite requires a default export
export default defineConfig({
  root: import.meta.dirname,
  plugins: [solid()],
  worker: { format: "es" },
  build: {
    outDir: join(import.meta.dirname, "dist"),
    emptyOutDir: true,
    target: "es2022",
    // No inlined assets: the content security policy forbids inline content.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Highlighting grammars are large. Each is loaded on demand.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        // Many small files compress worse than one file.
        codeSplitting: { groups: [{ name: "shared", test: usedByMostViews }] },
      },
    },
  },
});
