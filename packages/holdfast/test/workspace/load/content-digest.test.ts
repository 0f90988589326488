import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { openSetup } from "../../../src/compose/setup.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

// M7: nodes compare the contents of their config versions by digests, which reveal nothing about secrets.

const key = "sk-node-5b1f60b2c94e7a35";

test("M7 nodes with the same config and keys have the same digest, others a different one", async (t) => {
  const root = scratchFolder(t, "digest");
  const project = join(root, "project");
  mkdirSync(project);
  const write = (prompt: string): void =>
    writeFileSync(
      join(project, "holdfast.jsonc"),
      JSON.stringify({ agents: { helper: { prompt } } }),
    );
  write("Help.");
  const store = await openStore(t);
  const digest = (options: { apiKey?: string; store?: Store } = {}): Promise<string> =>
    digestOn(t, { root, project, store, ...options });
  const first = await digest();
  assert.equal(await digest(), first);
  assert.notEqual(await digest({ apiKey: `${key}x` }), first);
  // Without the store's key, a guess at a secret cannot be compared with the digest.
  assert.notEqual(await digest({ store: await openStore(t) }), first);
  write("Help much.");
  assert.notEqual(await digest(), first);
});

async function openStore(t: TestContext): Promise<Store> {
  const store = await openSqliteStore({ file: join(scratchFolder(t, "store"), "holdfast.db") });
  t.after(() => store.close());
  return store;
}

let nodes = 0;

/** The digest of the project on a separate node with its own data folder. */
async function digestOn(
  t: TestContext,
  node: { root: string; project: string; store: Store; apiKey?: string },
): Promise<string> {
  const { root, project, store, apiKey = key } = node;
  const errors: unknown[] = [];
  const setup = await openSetup({
    model: "local/test",
    environment: { HOLDFAST_BASE_URL: "http://127.0.0.1:9", HOLDFAST_API_KEY: apiKey },
    home: root,
    dataFolder: join(root, `data${(nodes += 1)}`),
    watch: false,
    onError: (error) => errors.push(error),
  });
  t.after(() => setup.close());
  await setup.bind(store);
  const { current } = await setup.host.load(project);
  assert.deepEqual(errors, []);
  assert(current !== null);
  assert(current.workspace.generation.endsWith(`.${current.digest.slice(0, 12)}`));
  return current.digest;
}
