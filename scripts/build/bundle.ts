import { join } from "node:path";

/**
 * Bundles the program: what is loaded together is one file, and what is loaded on demand in the sources
 * is loaded on demand still. Names stay as they are written, so that stack traces can be read.
 */
export async function bundle(options: {
  source: string;
  target: string;
  /** Packages that are installed beside it instead. */
  external: readonly string[];
  /** Where the licences of everything else are listed, relative to the target. */
  licences: string;
}): Promise<void> {
  const { source, target, external, licences } = options;
  // Loaded only here: vite takes a while.
  const { build } = await import("vite");
  await build({
    configFile: false,
    root: source,
    logLevel: "warn",
    publicDir: false,
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: target,
      emptyOutDir: true,
      target: "node24",
      minify: false,
      license: { fileName: licences },
      rolldownOptions: {
        external: [...external],
        // What the program loads on demand, one that embeds it may need at once.
        checks: { ineffectiveDynamicImport: false },
        input: {
          index: join(source, "src/index.ts"),
          cli: join(source, "src/cli/program.ts"),
          // A file of its own: a thread starts with it, and needs nothing else.
          "search-worker": join(source, "src/agent/tools/search-worker.ts"),
          "repository-scan": join(source, "src/agent/tools/sandbox/repository-scan.ts"),
          "import-thread": join(source, "src/runtime/copies/import-thread.ts"),
        },
        output: {
          format: "esm",
          entryFileNames: "[name].js",
          chunkFileNames: "[name]-[hash].js",
          codeSplitting: { groups: [{ name: "core", test: core }] },
        },
      },
    },
  });
}

/**
 * What nearly everything shares, and what a server always loads and is small: in one file, since each
 * file has to be found by all that import it. Nothing of it may need a schema: commands start without.
 */
const shared = [
  "kernel/",
  "store/(?!postgres|doctor)",
  "runner/",
  "runtime/(?!copies/(?!export|make-transcript|nesting)|revert|retention)",
  "compose/(?:stores|server-client|found-server)[.]ts",
  "server/(?:setup-error|discovery|security/token|security/token-file|config-schema-file)[.]ts",
  "agent/(?:model/known-providers|tools/files|tools/address)[.]ts",
  "workspace/config/(?:configs|trust|canonical|places)[.]ts",
];
const core = new RegExp(`/packages/holdfast/src/(?:${shared.join("|")})`);
