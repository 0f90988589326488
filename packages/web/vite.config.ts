import { join } from "node:path";
import { defineConfig } from "vite";
import solid from "vite-plugin-solid";

// oxlint-disable-next-line import/no-default-export -- the form that vite reads
export default defineConfig({
  root: import.meta.dirname,
  plugins: [solid()],
  worker: { format: "es" },
  build: {
    outDir: join(import.meta.dirname, "dist"),
    emptyOutDir: true,
    target: "es2022",
    // Everything stays a file of its own: the content security policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Grammars of languages are large, and loaded one by one when there is code in them.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
