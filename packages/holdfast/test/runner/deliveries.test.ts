import assert from "node:assert/strict";
import type { CommandData } from "../../src/kernel/command.ts";
import { sqliteTest } from "./support/sqlite-test.ts";
import type { Place } from "./support/place.ts";

// The delivery modes of prompts, each with an idle and a busy session, end to end.

const refused = (code: string) => (error: Error & { refusal?: { code: string } }) =>
  error.refusal?.code === code;

sqliteTest("P3 a prompt that is sent several times at once runs once", async (place) => {
  const { holdfast } = place.first;
  const sent = { sessionId: "main", promptId: "a", text: "once" };
  const rows = await Promise.all([1, 2, 3, 4, 5].map(() => holdfast.prompt(sent)));
  assert.deepEqual(
    rows.map(({ acceptSeq }) => acceptSeq),
    [2, 2, 2, 2, 2],
  );
  await (await place.puppets.next()).finish();
  assert.equal(await place.outcome("a"), "completed");
  const again = await holdfast.prompt(sent);
  assert.equal(again.outcome?.status, "completed");
  await assert.rejects(holdfast.prompt({ ...sent, text: "other" }), refused("conflict"));
  assert.deepEqual(place.puppets.begun, ["a"]);
});

sqliteTest("C1 a steer above the mark of a cancel leaves its run and runs next", async (place) => {
  const { holdfast } = place.first;
  const run = await place.openRun("a");
  const mark = (await place.first.store.lane("main"))?.seq ?? 0;
  await place.prompt("steer", { delivery: "steer" });
  await run.boundary();
  await holdfast.cancel({
    sessionId: "main",
    scope: { kind: "session", upTo: mark, tree: false },
  });
  await run.stopped;
  run.end();
  const next = await place.puppets.next();
  const conversation = await next.context.conversation();
  assert.deepEqual(
    conversation.map((message) => (message.role === "user" ? message.promptId : message.role)),
    ["a", "steer"],
  );
  await next.finish();
  assert.deepEqual(await place.outcomes(["a", "steer"]), ["cancelled: sessionCancel", "completed"]);
});

sqliteTest(
  "L6 a steer for a run that has ended is refused, or settled when the run ends without it",
  async (place) => {
    const run = await place.openRun("a");
    const { runId } = run.context;
    await assert.rejects(
      place.prompt("wrong", { delivery: "steer", expectedRunId: "another" }),
      refused("runMismatch"),
    );
    await place.prompt("late", { delivery: "steer", expectedRunId: runId });
    run.fail(new Error("out of luck"));
    assert.deepEqual(await place.outcomes(["a", "late"]), [
      "failed: agentError",
      "cancelled: runEnded",
    ]);
    assert.deepEqual(place.puppets.begun, ["a"]);
  },
);

sqliteTest("L6 a steer whose run fails without it is queued and runs next", async (place) => {
  const run = await place.openRun("a");
  await place.prompt("steer", { delivery: "steer" });
  run.fail(new Error("out of luck"));
  await (await place.puppets.next()).finish();
  assert.deepEqual(await place.outcomes(["a", "steer"]), ["failed: agentError", "completed"]);
});

sqliteTest("L6 ifIdle is refused on a busy session, and runs on an idle one", async (place) => {
  const run = await place.openRun("a", { delivery: "ifIdle" });
  await assert.rejects(place.prompt("b", { delivery: "ifIdle" }), refused("busy"));
  await run.finish();
  assert.equal(await place.outcome("a"), "completed");
});

sqliteTest(
  "P7 a message without reply is added at the next boundary, starts nothing and settles there",
  async (place) => {
    await place.prompt("idle", { reply: false });
    assert.equal(await place.outcome("idle"), "completed");
    const run = await place.openStep("a");
    await place.prompt("note", { reply: false });
    await run.answer("one");
    const entered = await run.boundary();
    assert.deepEqual(
      entered.map(({ promptId, reply }) => [promptId, reply]),
      [["note", false]],
    );
    assert.equal(await place.outcome("note"), "completed");
    await run.answer("two");
    run.end();
    assert.equal(await place.outcome("a"), "completed");
    assert.deepEqual(place.puppets.begun, ["a"]);
  },
);

sqliteTest(
  "L3 a held lane starts nothing, and starts by itself when it is released",
  async (place) => {
    await command(place, { type: "hold.place", holdId: "break", reason: "lunch" });
    await place.prompt("a");
    assert.deepEqual((await place.first.store.pending({ limit: 10 })).lanes, []);
    await command(place, { type: "hold.release", target: { kind: "hold", holdId: "break" } });
    await (await place.puppets.next()).finish();
    assert.equal(await place.outcome("a"), "completed");
  },
);

sqliteTest(
  "M8 a delete ends the run, settles everything and refuses later commands",
  async (place) => {
    const run = await place.openStep("a");
    await place.prompt("b");
    await command(place, { type: "session.delete" });
    await run.stopped;
    assert.deepEqual(await place.outcomes(["a", "b"]), [
      "cancelled: deleted",
      "cancelled: deleted",
    ]);
    await assert.rejects(run.answer("too late"));
    await assert.rejects(place.prompt("c"), refused("deleted"));
  },
);

sqliteTest(
  "T2 T3 a reader gets every event once and in order, even if it resumes",
  async (place) => {
    const { holdfast, store } = place.first;
    const deltas: string[] = [];
    const stopListening = holdfast.deltas("main", (delta) => {
      deltas.push(`${delta.runId} ${delta.step} ${delta.attempt} ${delta.kind} ${delta.text}`);
    });
    const stop = new AbortController();
    const live: number[] = [];
    const following = (async () => {
      for await (const { seq } of holdfast.events({ sessionId: "main", signal: stop.signal })) {
        live.push(seq);
      }
    })();
    for (const promptId of ["a", "b", "c"]) {
      await place.prompt(promptId);
      const run = await place.puppets.next();
      await run.boundary();
      await run.say({ type: "delta", kind: "text", text: "he" });
      await run.say({ type: "delta", kind: "text", text: "llo" });
      await run.answer("hello");
      assert.equal(deltas.at(-1), `${run.context.runId} 1 1 text hello`);
      run.end();
      assert.equal(await place.outcome(promptId), "completed");
    }
    const last = (await store.lane("main"))?.seq ?? 0;
    const later: number[] = [];
    for await (const { seq } of holdfast.events({ sessionId: "main", after: 5 })) {
      later.push(seq);
      if (seq === last) break;
    }
    stop.abort();
    await following;
    stopListening();
    const all = Array.from({ length: last }, (_, index) => index + 1);
    assert.deepEqual(live, all);
    assert.deepEqual(later, all.slice(5));
  },
);

sqliteTest("P4 a waiter that stops waiting gets the current entry", async (place) => {
  const run = await place.openRun("a");
  const signal = AbortSignal.abort();
  const row = await place.first.holdfast.wait({ sessionId: "main", promptId: "a", signal });
  assert.deepEqual([row?.status, row?.runId], ["running", run.context.runId]);
  await run.finish();
  assert.equal(await place.outcome("a"), "completed");
});

async function command(place: Place, data: CommandData): Promise<void> {
  const actor = { kind: "client", id: "person" } as const;
  const answer = await place.first.store.execute({
    command: { ...data, sessionId: "main", actor },
  });
  assert.equal(answer.status, "done");
}
