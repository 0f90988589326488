import assert from "node:assert/strict";
import type { FeedPage, Store } from "../../../src/store/store.ts";
import { edit, plentyOfRoom } from "../../kernel/support/commands.ts";
import { storeTest } from "../engine.ts";
import type { Engine } from "../engine.ts";
import { done, person, readLog, verdict } from "../lane-client.ts";

export function testPrompts(engine: Engine): void {
  storeTest(
    engine,
    "P1 acknowledged prompts exist after the store is opened again",
    async (place) => {
      const lane = await place.newLane("s");
      done(await lane.accept("p1", { text: "one" }));
      done(await lane.accept("p2", { text: "two" }));
      await lane.start("run1");
      done(await lane.cancel("c1", { kind: "prompt", promptId: "p2" }));
      const before = await everything(place.store);
      await place.reopen();
      assert.deepEqual(await everything(place.store), before);
    },
  );

  storeTest(
    engine,
    "P3 a repeated prompt gets the same answer and writes nothing",
    async (place) => {
      const lane = await place.newLane("s");
      const first = done(await lane.accept("p1"));
      const before = await everything(place.store);
      const again = done(await lane.accept("p1"));
      assert.deepEqual(
        { prompt: again.prompt, state: again.state, events: again.events },
        { prompt: first.prompt, state: first.state, events: [] },
      );
      assert.deepEqual(await everything(place.store), before);
    },
  );

  storeTest(
    engine,
    "P3 the same id with other content is refused and changes nothing",
    async (place) => {
      const lane = await place.newLane("s");
      await lane.accept("p1");
      const before = await everything(place.store);
      assert.equal(verdict(await lane.accept("p1", { contentHash: "other" })), "conflict");
      await place.reopen();
      const later = place.lane("s");
      assert.equal(verdict(await later.accept("p1", { contentHash: "other" })), "conflict");
      assert.deepEqual(await everything(place.store), before);
    },
  );

  storeTest(
    engine,
    "a sender's directory limit is kept with its prompt, its edit and its run",
    async (place) => {
      const lane = await place.newLane("s");
      const { directory } = await lane.state();
      const directories = [directory, "/elsewhere"];
      done(await lane.accept("p1", { directories }));
      assert.equal(verdict(await lane.accept("p2", { directories: ["/elsewhere"] })), "forbidden");
      done(await lane.accept("p3"));
      done(await lane.send(edit("p3", { directories: [directory] })));
      await lane.start("run1");
      const before = await everything(place.store);
      await place.reopen();
      assert.deepEqual(await everything(place.store), before);
      const { queue } = await place.lane("s").state();
      assert.deepEqual(
        [
          (await place.lane("s").run()).directories,
          queue.map((item) => "directories" in item && item.directories),
        ],
        [directories, [[directory]]],
      );
    },
  );

  storeTest(engine, "P3 holds among requests that arrive together", async (place) => {
    const lane = await place.newLane("s");
    const answers = await Promise.all([
      lane.accept("p1"),
      lane.accept("p1"),
      lane.accept("p1", { contentHash: "other" }),
      lane.accept("p2"),
      lane.accept("p1"),
    ]);
    const accepted = answers.filter((answer) => answer.status === "done");
    const events = accepted.flatMap((answer) => answer.events);
    assert.deepEqual(
      events
        .map((event) => (event.type === "prompt.accepted" ? event.promptId : event.type))
        .toSorted(),
      ["p1", "p2"],
    );
    const { acceptSeq } = await lane.row("p1");
    const other = answers[2];
    assert.ok(other !== undefined);
    // Whichever content came first is the prompt's; the other is refused.
    const told = answers.flatMap((answer) =>
      answer.status === "done" && answer.prompt?.promptId === "p1" ? [answer.prompt.acceptSeq] : [],
    );
    assert.deepEqual(new Set(told), new Set([acceptSeq]));
    const refused = answers.filter((answer) => answer.status === "refused");
    assert.ok(refused.length === 1 || refused.length === 3);
    assert.ok(refused.every((answer) => answer.refusal.code === "conflict"));
  });

  storeTest(
    engine,
    "P3 a repetition in one batch with the end of its run gets the outcome",
    async (place) => {
      const lane = await place.newLane("s");
      const first = done(await lane.accept("p1"));
      await lane.start("run1");
      await lane.boundary();
      await lane.answer();
      const handle = await lane.handle();
      const [, again] = await Promise.all([lane.end({}, { handle }), lane.accept("p1")]);
      const { prompt, state } = done(again);
      assert.equal(prompt?.acceptSeq, first.prompt?.acceptSeq);
      assert.equal(prompt?.status, state.active === null ? "settled" : "running");
      assert.deepEqual(done(await lane.accept("p1")).prompt, await lane.row("p1"));
    },
  );

  storeTest(engine, "P3 a session is created once", async (place) => {
    const lane = place.lane("s");
    const first = done(await lane.create({ directory: "/here", contentHash: "a" }));
    const again = done(await lane.create({ directory: "/here", contentHash: "a" }));
    assert.deepEqual({ ...again, events: first.events }, first);
    assert.equal(verdict(await lane.create({ directory: "/there", contentHash: "b" })), "conflict");
    assert.deepEqual(await place.store.lane("s"), first.state);
  });

  storeTest(engine, "P4 the ledger has a prompt's current status at every time", async (place) => {
    const lane = await place.newLane("s");
    const at = await place.store.now();
    const accepted = done(await lane.accept("p1", { delivery: "queue" })).prompt;
    assert.deepEqual(accepted, {
      sessionId: "s",
      promptId: "p1",
      acceptSeq: 2,
      contentHash: "p1/queue/true/null",
      body: accepted?.body,
      revision: 1,
      delivery: "queue",
      reply: true,
      actor: person,
      acceptedAt: at,
      parent: null,
      resultOf: null,
      receipt: null,
      status: "queued",
      runId: null,
      outcome: null,
      settledAt: null,
    });
    assert.deepEqual(await lane.row("p1"), accepted);
    await lane.start("run1");
    assert.deepEqual(await lane.row("p1"), { ...accepted, status: "running", runId: "run1" });
    await lane.boundary();
    await lane.answer();
    await place.advance(50);
    await lane.end({ result: "the last words" });
    const settled = {
      ...accepted,
      status: "settled",
      runId: "run1",
      outcome: { status: "completed", reason: null, runId: "run1", result: "the last words" },
      settledAt: at + 50,
    };
    assert.deepEqual(await lane.row("p1"), settled);
    assert.deepEqual(await place.store.prompts("s", { after: null, limit: 10 }), [settled]);
  });

  storeTest(
    engine,
    "P4 a deleted session's prompts are settled, and it accepts no more",
    async (place) => {
      const lane = await place.newLane("s");
      await lane.accept("p1");
      await lane.accept("p2");
      await lane.start("run1");
      await lane.remove();
      await place.reopen();
      const rows = await place.store.prompts("s", { after: null, limit: 10 });
      assert.deepEqual(
        rows.map(({ promptId, outcome }) => [promptId, outcome?.status, outcome?.reason]),
        [
          ["p1", "cancelled", "deleted"],
          ["p2", "cancelled", "deleted"],
        ],
      );
      assert.equal(verdict(await place.lane("s").accept("p3")), "deleted");
      assert.equal(verdict(await place.lane("s").accept("p1")), "done");
    },
  );

  storeTest(engine, "P4 the ledger is read in pages, in the order of acceptance", async (place) => {
    const lane = await place.newLane("s");
    for (const promptId of ["c", "a", "d", "b"]) await lane.accept(promptId);
    const first = await place.store.prompts("s", { after: null, limit: 3 });
    const rest = await place.store.prompts("s", { after: first.at(-1)?.acceptSeq ?? 0, limit: 3 });
    assert.deepEqual(
      [first, rest].map((page) => page.map((row) => row.promptId)),
      [["c", "a", "d"], ["b"]],
    );
    assert.deepEqual(await place.store.prompts("s", { after: 99, limit: 3 }), []);
  });

  const refusals = {
    queueFull: { limits: { ...plentyOfRoom, maxQueue: 1 } },
    draining: { limits: { ...plentyOfRoom, draining: true } },
    tooLarge: { text: "longer than this", limits: { ...plentyOfRoom, maxBytes: 5 } },
    invalid: { text: "" },
    busy: { delivery: "ifIdle" },
    runMismatch: { delivery: "steer", expectedRunId: "run9" },
  } as const;
  for (const [code, fields] of Object.entries(refusals)) {
    storeTest(engine, `P5 a prompt refused as ${code} leaves no trace`, async (place) => {
      const lane = await place.newLane("s");
      await lane.accept("p1", { text: "something else" });
      const before = await everything(place.store);
      assert.equal(verdict(await lane.accept("p2", fields)), code);
      assert.deepEqual(await everything(place.store), before);
      assert.equal(await place.store.prompt("s", "p2"), null);
      await place.reopen();
      assert.deepEqual(await everything(place.store), before);
    });
  }
}

/** Reads all data of session s. */
async function everything(store: Store): Promise<{
  state: unknown;
  log: unknown;
  ledger: unknown;
  bodies: unknown;
  feed: FeedPage;
}> {
  const ledger = await store.prompts("s", { after: null, limit: 100 });
  return {
    state: await store.lane("s"),
    log: await readLog(store, "s"),
    ledger,
    bodies: await Promise.all(ledger.map(({ body }) => store.body(body ?? ""))),
    feed: await store.feed({ after: null, limit: 100 }),
  };
}
