import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ensurePackage } from "../../../../scripts/build/ensure-package.ts";
import { startCommand } from "../cli/test-cli.ts";

// The start time depends on the modules that are loaded before the server is ready. A module that only one feature
// needs is loaded on demand, so these lists stay short.

let folder: string;
let bin: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-start-"));
  bin = await ensurePackage(join(import.meta.dirname, "../../../.."));
});

after(() => rm(folder, { recursive: true }));

/**
 * Starts the built program with a hook that records each loaded file. `loaded` lists the modules in these files, and
 * `files` counts the files of Holdfast.
 */
async function startTraced(words: readonly string[]) {
  const list = join(folder, `${words[0]}.txt`);
  const hook = join(folder, "hook.mjs");
  await writeFile(
    hook,
    `import { appendFileSync } from "node:fs";
    import { registerHooks } from "node:module";
    registerHooks({
      load: (url, context, next) => {
        appendFileSync(${JSON.stringify(list)}, url + "\\n");
        return next(url, context);
      },
    });`,
  );
  const allFiles = async (): Promise<string[]> => {
    const urls = (await readFile(list, "utf8")).trim().split("\n");
    return urls.filter((url) => url.startsWith("file:")).map((url) => fileURLToPath(url));
  };
  const loaded = async (): Promise<string[]> => {
    const files = await allFiles();
    const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
    const bundled = texts.flatMap((text) => [...text.matchAll(/^\/\/#region (.*)$/gm)]);
    const beside = files.filter((file) => !isBundle(file));
    return [...beside, ...bundled.map(([, path = ""]) => path)];
  };
  return {
    running: startCommand(["--import", hook, bin, ...words], { folder }),
    loaded,
    files: async () => (await allFiles()).filter(isBundle).length,
  };
}

function isBundle(file: string): boolean {
  return file.includes("/holdfast/lib/");
}

function packagesOf(modules: readonly string[]): string[] {
  const names = modules.flatMap(
    (path) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.slice(1) ?? [],
  );
  return [...new Set(names)].filter((name) => name !== "holdfast").toSorted();
}

test("a command without a server loads no package but the parser of the command line", async () => {
  const { running, loaded, files } = await startTraced(["--version"]);
  assert.equal((await running.ended).end, 0);
  assert.deepEqual(packagesOf(await loaded()), ["commander"]);
  assert.ok((await files()) <= 3, `${await files()} files were loaded; ${groups}`);
});

test("a server loads only the packages and modules that every server needs until it is ready", async () => {
  const { running, loaded, files } = await startTraced(["serve", "--port", "0"]);
  try {
    await running.matched(/listening at (\S+)/);
    const modules = await loaded();
    assert.deepEqual(packagesOf(modules), neededPackages);
    const early = modules.filter((path) => onDemand.test(path));
    assert.deepEqual(early, [], "load these modules with `await import` where they are used");
    assert.ok(modules.some((path) => path.endsWith("src/compose/serve.ts")));
    assert.ok((await files()) <= 10, `${await files()} files were loaded; ${groups}`);
  } finally {
    running.process.kill();
    await running.ended;
  }
});

test("the built program is plain ASCII, which V8 reads faster", async () => {
  const library = join(bin, "../../lib");
  const names = (await readdir(library)).filter((name) => name.endsWith(".js"));
  const texts = await Promise.all(names.map((name) => readFile(join(library, name), "latin1")));
  assert.deepEqual(
    names.filter((_, index) => /[^\0-\x7f]/.test(texts[index] ?? "")),
    [],
  );
});

/** Each file takes about 0.5 ms, so small modules that are loaded together belong in one file. */
const groups = "add their modules to a group in scripts/build/bundle.ts";

/** HTTP, schemas, command line, log and metrics, each with the packages that it depends on. */
const neededPackages = [
  "@hono/node-server",
  "@pinojs/redact",
  "atomic-sleep",
  "commander",
  "hono",
  "on-exit-leak-free",
  "pino",
  "pino-std-serializers",
  "prom-client",
  "quick-format-unescaped",
  "safe-stable-stringify",
  "sonic-boom",
  "thread-stream",
  "zod",
];

/** Modules of features that a server needs only when somebody uses them. */
const onDemand = new RegExp(
  `/src/(?:${[
    "agent/(?:coding|images|permissions/(?:rules|shell))",
    "agent/model/(?:chat/chat-model|catalogue/catalogue-schema)",
    "cli/(?:acp|terminal/screen)",
    "mcp-server",
    "runner/nodes/delta-",
    "runtime/(?:changes|revert)",
    "server/(?:docs-page|home-page|openapi|tracing/(?:request|run)-spans)",
    "store/(?:doctor|postgres)",
  ].join("|")})`,
);
