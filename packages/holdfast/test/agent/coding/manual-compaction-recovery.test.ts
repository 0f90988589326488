import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { startModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import type { ModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import { says } from "../../../../../gauntlet/model-server/script.ts";
import type { Script } from "../../../../../gauntlet/model-server/script.ts";
import type { Agent } from "../../../src/agent/agent.ts";
import { compactCommand } from "../../../src/agent/compact-command.ts";
import { acceptRequest } from "../../../src/runner/prompt.ts";
import { openSqlitePlace } from "../../runner/support/place.ts";
import type { Place } from "../../runner/support/place.ts";
import { isSummaryCall, longStory, textsOf } from "./summary-call.ts";
import { agentFor, quickDisk } from "./world.ts";

test("R1 a summary that a crash interrupted is written by the next process", async (t) => {
  let hangs = true;
  const { place, server, compact } = await openStory(t, () =>
    hangs ? { parts: [{ text: "SUMM" }, { wait: new Promise(() => {}) }] } : says("SUMMARY"),
  );
  await compact();
  await waitFor(() => server.calls.filter(isSummaryCall).length, {
    describe: "a request for a summary",
    until: (count) => count === 1,
  });
  hangs = false;
  await place.first.crash();
  await place.open();
  await settled(place, server, { summaryCalls: 2 });
});

test("R1 after a crash between a summary and the run's end, no further model call is made", async (t) => {
  const { place, server, compact } = await openStory(t, () => says("SUMMARY"));
  const held = await place.first.holdBack("run.boundary");
  await compact();
  await held.arrived;
  await place.first.crash();
  held.release();
  await place.open();
  await settled(place, server, { summaryCalls: 1 });
});

/** The coding agent in a world whose runtimes can crash, with a long conversation in `main`. */
async function openStory(
  t: TestContext,
  sum: Script,
): Promise<{ place: Place; server: ModelServer; compact: () => Promise<void> }> {
  const folder = mkdtempSync(join(quickDisk, "holdfast-summary-"));
  const cleanUp = async (): Promise<void> => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  // The place counts open resources when it is opened and closed, so the model server starts later and is closed
  // earlier.
  const scope = {
    after: (clean: () => Promise<void>) => t.after(() => cleanUp().then(clean)),
  };
  const agent: Agent = { name: "coding", run: (context) => coding.run(context) };
  const place = await openSqlitePlace(scope, { agent });
  const server = await startModelServer((call) =>
    isSummaryCall(call) ? sum(call) : says("Well."),
  );
  const coding = agentFor({}, { server, folder });
  await place.prompt("story", { text: longStory });
  assert.equal(await place.outcome("story"), "completed");
  return {
    place,
    server,
    // A runtime without workspaces has no commands, so send the prompt in the form in which another runtime would
    // store the command.
    compact: async () => {
      const text = await compactCommand.expand("", new AbortController().signal);
      const command = { name: compactCommand.name, arguments: "" };
      const actor = { kind: "client", id: "local" } as const;
      const names = { agent: undefined, model: undefined };
      await place.first.store.execute(
        acceptRequest(
          { sessionId: "main", promptId: "compact", text: "", command, actor },
          {
            limits: { maxQueue: 100, maxBytes: 1_000_000, draining: false },
            expanded: { text, builtIn: true, ...names },
          },
        ),
      );
    },
  };
}

/** The conversation is summarised once, and the next prompt continues from the summary. */
async function settled(
  place: Place,
  { calls }: ModelServer,
  expected: { summaryCalls: number },
): Promise<void> {
  assert.equal(await place.outcome("compact"), "completed");
  assert.equal(calls.filter(isSummaryCall).length, expected.summaryCalls);
  const types = await place.types();
  // Three answers: to the first prompt, the summary, and the message about the summary.
  assert.equal(types.filter((type) => type === "step.answered").length, 3);
  assert.equal(types.filter((type) => type === "run.resumed").length, 1);
  await place.prompt("last");
  assert.equal(await place.outcome("last"), "completed");
  assert.deepEqual(textsOf(calls.at(-1)), [
    "Summary of the conversation so far:\n\nSUMMARY",
    "text of last",
  ]);
}
