import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { checkPromises } from "../chaos/check.ts";
import { driveWorker } from "../chaos/driver.ts";
import { createRandom } from "../chaos/random.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const clients = 5;

/** Kills the process that owns a store repeatedly, and checks that no prompt is lost and each is settled once. */
export async function killOwner(
  context: TestContext,
  options: {
    readonly kills: number;
    /** Number of prompts that each client sends. */
    readonly prompts: number;
  },
): Promise<void> {
  const seed = Number(process.env["HOLDFAST_SEED"] ?? Date.now() % 1_000_000);
  const folder = scratchFolder(context, "chaos");
  const file = join(folder, "store.db");
  const { acknowledgements, kills } = await driveWorker({
    script: join(import.meta.dirname, "chaos-worker.ts"),
    target: file,
    name: "node",
    signal: context.signal,
    random: createRandom(seed),
    kills: options.kills,
    job: {
      plan: { seed, sessions: 8 },
      ttl: 2000,
      clients: Array.from({ length: clients }, (_, number) => ({
        name: `client${number}`,
        next: 0,
        count: options.prompts,
      })),
    },
  });
  const store = await openSqliteStore({ file });
  const { problems, outcomes } = await checkPromises(store, acknowledgements);
  await store.close();
  const accepted = new Set(
    acknowledgements.flatMap((told) => (told.kind === "accepted" ? [told.promptId] : [])),
  );
  context.diagnostic(
    `seed ${seed}: ${accepted.size} prompts, ${kills} kills, ${JSON.stringify(outcomes)}`,
  );
  assert.deepEqual(problems, [], `seed ${seed}`);
  assert.equal(accepted.size, clients * options.prompts);
  assert.ok(kills > 0);
}
