import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ensurePackage } from "../../../../scripts/build/ensure-package.ts";
import type * as scanning from "../../src/agent/tools/sandbox/repository-scan.ts";
import type * as searching from "../../src/agent/tools/search-worker.ts";
import { startCommand } from "../cli/test-cli.ts";

const root = join(import.meta.dirname, "../../../..");
let folder: string;
let bin: string;

// Copies the files that npm would install into a folder from which no file of the repository can be found.
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-package-"));
  const built = await ensurePackage(root);
  await cp(join(built, "../../.."), join(folder, "node_modules"), { recursive: true });
  bin = join(folder, "node_modules/holdfast/bin/holdfast.js");
});

after(() => rm(folder, { recursive: true }));

test("the built package serves, with its web page and the schema of configs", async () => {
  const server = startCommand([bin, "serve", "--port", "0"], { folder });
  try {
    const [, url = ""] = await server.matched(/listening at (\S+)/);
    const texts = await Promise.all(
      ["/readyz", "/", "/config.schema.json"].map(async (path) => {
        const response = await fetch(`${url}${path}`);
        return [response.status, await response.text()] as const;
      }),
    );
    const page = await readFile(join(root, "packages/web/dist/index.html"), "utf8");
    const schema = await readFile(join(root, "packages/holdfast/config.schema.json"), "utf8");
    assert.deepEqual(texts, [
      [200, '{"status":"ready"}'],
      [200, page],
      [200, schema],
    ]);
  } finally {
    server.process.kill();
    await server.ended;
  }
});

test("the built package has the model catalogue", async () => {
  const words = ["models", "--all", "--json", "claude-sonnet-4-5"];
  const { out, err } = await startCommand([bin, ...words], { folder }).ended;
  assert.equal(err, "");
  const { items }: { items: { id: string; endOfLife: string | null }[] } = JSON.parse(out);
  const found = items.find(({ id }) => id === "anthropic/claude-sonnet-4-5");
  assert.equal(found?.endOfLife, "2026-11-30");
});

test("a program uses the runtime of the built package, and shares its error classes with the client", async () => {
  const program = `
    import { Refused } from "@holdfast/sdk";
    import { createHoldfast } from "holdfast";
    const agent = {
      name: "short",
      async *run({ boundary }) {
        await boundary();
        yield { type: "answer", text: "done" };
      },
    };
    const holdfast = await createHoldfast({ agent, store: "own.db" });
    const session = await holdfast.sessions.create({ directory: process.cwd() });
    const prompt = await session.prompt("hello");
    console.log((await prompt.settled()).text);
    const refused = await holdfast.session("nobody").get().catch((error) => error);
    console.log(refused instanceof Refused);
    await holdfast.close();
  `;
  await writeFile(join(folder, "program.mjs"), program);
  const { end, out, err } = await startCommand(["program.mjs"], { folder }).ended;
  assert.deepEqual({ end, out, err }, { end: 0, out: "done\ntrue\n", err: "" });
});

test("the built package scans for repositories in a thread", async () => {
  await mkdir(join(folder, "project/.git"), { recursive: true });
  const built: typeof scanning = await import(join(bin, "../../lib/repository-scan.js"));
  const found = await built.findRepositories(join(folder, "project"));
  assert.deepEqual(
    found.map(({ path }) => path),
    [join(folder, "project/.git")],
  );
});

test("the built package searches files in a thread", async () => {
  const file = join(folder, "poem.txt");
  await writeFile(file, "one\ntwo\n");
  const built: typeof searching = await import(join(bin, "../../lib/search-worker.js"));
  const searcher = built.startSearcher({
    source: "tw",
    flags: "u",
    maxMatches: 9,
    maxLineLength: 9,
    namesOnly: false,
  });
  await searcher.search([file]);
  await searcher.stop();
  assert.deepEqual(searcher.matches, [{ path: file, line: 2, text: "two" }]);
});
