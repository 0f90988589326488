import { join } from "node:path";
import type { Plugin } from "vite";

/**
 * Bundles the program. Modules that are loaded together become one file; dynamic imports stay
 * dynamic. Names are not shortened, so that stack traces are readable.
 */
export async function bundle(options: {
  source: string;
  target: string;
  /** Packages that are not bundled but installed as dependencies. */
  external: readonly string[];
  /** File that lists the licences of the bundled packages. The path is relative to the folder `target`. */
  licences: string;
}): Promise<void> {
  const { source, target, external, licences } = options;
  // Loaded on demand: vite is slow to load.
  const { build } = await import("vite");
  await build({
    configFile: false,
    root: source,
    logLevel: "warn",
    publicDir: false,
    plugins: [asciiOnly],
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
        // Suppress the warning about a module that one entry imports statically and another loads on demand.
        checks: { ineffectiveDynamicImport: false },
        input: {
          index: join(source, "src/index.ts"),
          cli: join(source, "src/cli/program.ts"),
          // Keep this module in a separate file, because a worker thread starts with it.
          "search-worker": join(source, "src/agent/tools/search-worker.ts"),
          "scale-image": join(source, "src/agent/images/scale-image.ts"),
          "repository-scan": join(source, "src/agent/tools/sandbox/repository-scan.ts"),
          "import-thread": join(source, "src/runtime/copies/import-thread.ts"),
        },
        output: {
          format: "esm",
          comments: { legal: true, jsdoc: false, annotation: false },
          entryFileNames: "[name].js",
          chunkFileNames: "[name]-[hash].js",
          codeSplitting: {
            groups: [
              { name: "core", test: core },
              { name: "start", test: start },
              { name: "schemas", test: schemas },
              { name: "api", test: api },
            ],
          },
        },
      },
    },
  });
}

/**
 * Escapes all characters that are not ASCII. A single such character doubles the memory that V8 needs for the file, and
 * the time to read it: 12 ms of processor time at each start.
 */
const asciiOnly: Plugin = {
  name: "ascii-only",
  generateBundle: (_options, files) => {
    for (const file of Object.values(files)) {
      if (file.type === "chunk") file.code = file.code.replaceAll(/[^\0-\x7f]/g, escapeUnit);
    }
  },
};

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * Modules that nearly every command uses, bundled into one file, because loading many files is slow. None of them may
 * import a schema, because commands must start without loading schemas.
 */
const core = sources(
  [
    "kernel/",
    "store/(?!postgres|doctor)",
    "runner/(?!nodes/delta-)",
    "runtime/(?!changes/|copies/(?!export|make-transcript|nesting)|revert|retention)",
    "cli/(?:cli-error|client-options|help-text|ids|terminal-call|commands/session-status|terminal/(?:hold-text|output-gone|printable))[.]ts",
    "compose/(?:hung-server|stores|server-client|found-server|web-folder)[.]ts",
    "server/(?:setup-error|discovery|security/token|security/token-file|config-schema-file)[.]ts",
    "agent/(?:model/(?:known-providers|platform-addresses|protocol-names)|tools/(?:address|environment|files))[.]ts",
    "workspace/config/(?:configs|trust|canonical|places)[.]ts",
  ],
  ["commander"],
);

/**
 * Small modules that a server loads at its start, bundled into one file. A few commands use some of them, so none of
 * them may import a schema either.
 */
const start = sources([
  "agent/(?:built-in|choosing-prompt|compact-command|local-disk|merge|quoted-words|usual-setup)[.]ts",
  "agent/permissions/default-rules[.]ts",
  "agent/mcp/oauth/sign-ins[.]ts",
  "agent/model/(?:catalog|find-model|model|model-facts|one-origin|platform)[.]ts",
  "agent/model/(?:access/(?:github-hosts|github-sign-in|open-access|send|transport)|catalogue/server-facts|chat/post)[.]ts",
  "agent/tools/(?:gitignore|glob-pattern|paths|tool|walk|sandbox/(?!repository-scan))",
  "base/(?:bounded-map|share-work)[.]ts",
  "compose/(?:sandbox-status|tidy)[.]ts",
  "runtime/retention/",
  "server/(?:listen|uploads|all-records)[.]ts",
  "workspace/(?:applied|boot|change-private-file|directory|generation|host|pin|resource|settings-file|config/(?:duration|layer|merge|names|nearest|powers|read-config|read-file|references|resolv\\w*|resolve-\\w+|source))[.]ts",
]);

/** The library for schemas, in a file of its own, because some commands need it without the API. */
const schemas = sources([], ["zod"]);

/**
 * The API and the modules that need its schemas, bundled into one file. Servers load it, and commands that work without
 * a server.
 */
const api = sources(
  [
    "compose/(?:caps|settings-ports|workspace-views)[.]ts",
    "contract/",
    "server/(?:app|errors|expect-role|list-folders|local-security|pages|pipeline|plain-words|request-body|route-charges|validate)[.]ts",
    "server/(?:notifications/attention|notifications/sessions-above|outbox/|routes/|stream/|wire/)",
    "server/security/(?:directories|quotas|token-record)[.]ts",
  ],
  ["hono", "@hono/node-server"],
);

/** Matches source files by their path below `src`, and all files of the packages. */
function sources(patterns: readonly string[], packages: readonly string[] = []): RegExp {
  const folders = [
    ...patterns.map((pattern) => `packages/holdfast/src/${pattern}`),
    ...packages.map((name) => `node_modules/${name}/`),
  ];
  return new RegExp(`/(?:${folders.join("|")})`);
}
