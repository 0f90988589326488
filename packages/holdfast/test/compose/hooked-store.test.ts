import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { PromptHooks } from "../../src/agent/setup.ts";
import { noHooks } from "../../src/agent/usual-setup.ts";
import { hookedStore } from "../../src/compose/hooked-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { openLane } from "../store/lane-client.ts";

/** More prompts than the hooks that may wait. */
const many = 1_500;

/** Accepts many prompts while the hooks of the directory are being read, and closes the store. */
async function acceptMany(t: TestContext, found: PromptHooks) {
  const file = join(scratchFolder(t, "hooked-store"), "holdfast.db");
  const store = await openSqliteStore({ file });
  const errors: unknown[] = [];
  const read = Promise.withResolvers<PromptHooks>();
  let reads = 0;
  const hooked = hookedStore(store, {
    hooks: () => {
      reads += 1;
      return read.promise;
    },
    onError: (error) => errors.push(error),
  });
  // The queue of one session would be too short for all of them.
  const lanes = [openLane(hooked.store, "one"), openLane(hooked.store, "two")];
  await Promise.all(lanes.map((lane) => lane.create()));
  const ids = Array.from({ length: many }, (_, n) => `p${n}`);
  const accept = async (id: string, n: number): Promise<void> => {
    await lanes[n % lanes.length]?.accept(id, { text: JSON.stringify({ text: id }) });
  };
  await Promise.all(ids.map(accept));
  read.resolve(found);
  await hooked.close();
  await store.close();
  return { ids, reads, errors };
}

test("many prompts in a directory without hooks read its config once and skip nothing", async (t) => {
  const { reads, errors } = await acceptMany(t, noHooks);
  assert.deepEqual([reads, errors], [1, []]);
});

test("hooks run in the order of their prompts; above the limit they are skipped with an error", async (t) => {
  const seen: string[] = [];
  const promptAccepted = async ({ promptId }: { promptId: string }): Promise<void> => {
    seen.push(promptId);
  };
  const { ids, errors } = await acceptMany(t, { ...noHooks, promptAccepted });
  assert.deepEqual(seen, ids.slice(0, seen.length));
  assert.ok(seen.length >= 1_000, `${seen.length} hooks ran`);
  assert.equal(errors.length, many - seen.length);
  assert.match(String(errors[0]), /too many hooks are waiting; the hooks for prompt\.accepted/);
});
