import assert from "node:assert/strict";
import { test } from "node:test";
import type { Agent } from "../../src/agent/agent.ts";
import { openSqlitePlace } from "./support/place.ts";
import { away } from "./support/tampered-store.ts";

// An agent that calls its model at once and marks its last answer needs three commands.

const brief: Agent = {
  name: "brief",
  opensWithStep: true,
  async *run(context) {
    const entered = await context.boundary();
    const { length } = context.prompts;
    yield { type: "answer", text: `${length} prompts, ${entered.length} now`, last: true };
    throw new Error("it was said to be the last");
  },
};

test("P2 a prompt is accepted, started and answered by three commands", async (t) => {
  const place = await openSqlitePlace(t, { agent: brief });
  const { store } = place.first;
  const commits: string[] = [];
  store.around((request, execute) => {
    commits.push(request.command.type);
    return execute();
  });
  await place.prompt("a");
  assert.equal(await place.outcome("a"), "completed");
  assert.deepEqual(commits, ["prompt.accept", "run.start", "step.answer"]);
  const row = await store.prompt("main", "a");
  assert(row !== null);
  assert.equal(await place.first.holdfast.resultText(row), "1 prompts, 0 now");
});

test("L6 a steer before a last answer is answered by the same run", async (t) => {
  const place = await openSqlitePlace(t, { agent: brief });
  const held = place.first.store.holdBack(({ command }) => command.type === "step.answer");
  await place.prompt("a");
  await held.arrived;
  await place.prompt("s", { delivery: "steer" });
  held.release();
  assert.deepEqual(await place.outcomes(["a", "s"]), ["completed", "completed"]);
  const row = await place.first.store.prompt("main", "s");
  assert(row !== null);
  assert.equal(await place.first.holdfast.resultText(row), "2 prompts, 0 now");
  const types = await place.types();
  assert.equal(types.filter((type) => type === "run.started").length, 1);
});

for (const landed of [true, false]) {
  const what = landed ? "landed but was not answered" : "did not land";
  test(`P2 a last answer that ${what} ends the run once`, async (t) => {
    const place = await openSqlitePlace(t, { agent: brief });
    let lost = false;
    place.first.store.around(async (request, execute) => {
      if (lost || request.command.type !== "step.answer") return execute();
      lost = true;
      if (landed) await execute();
      throw away();
    });
    await place.prompt("a");
    assert.equal(await place.outcome("a"), "completed");
    const types = await place.types();
    const ends = types.filter((type) => type === "run.ended" || type === "step.answered");
    assert.deepEqual(ends, ["step.answered", "run.ended"]);
  });
}
