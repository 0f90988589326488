import assert from "node:assert/strict";
import { makeBody } from "../../../src/store/body.ts";
import type { CommandInput, StoreRequest } from "../../../src/store/store.ts";
import * as make from "../../kernel/support/commands.ts";
import { storeTest } from "../engine.ts";
import type { Engine } from "../engine.ts";
import { done, openLane, person, verdict } from "../lane-client.ts";

export function testBatches(engine: Engine): void {
  storeTest(
    engine,
    "lanes that are written together are answered each by itself, also when others write them too",
    async (place) => {
      const peer = await place.peer();
      const ids = Array.from({ length: 24 }, (_, number) => `s${number}`);
      for (const id of ids) await place.newLane(id);
      const first = await Promise.all(ids.map((id) => place.lane(id).accept("p1")));
      assert.ok(first.every((answer) => verdict(answer) === "done"));
      // Another process sends a prompt that the first process will repeat, and one of its own.
      for (const id of ["s3", "s7"]) done(await openLane(peer, id).accept("p2"));
      for (const id of ["s5", "s9"]) done(await openLane(peer, id).accept("other"));
      const both = await Promise.all([
        ...ids.map((id) => place.lane(id).accept("p2")),
        ...ids.toReversed().map((id) => openLane(peer, id).accept("p3")),
        place.lane("s1").accept("p1", { contentHash: "another", text: "another" }),
        place.lane("none").accept("p1"),
      ]);
      assert.deepEqual(
        both.map(verdict).filter((each) => each !== "done"),
        ["conflict", "unknownSession"],
      );
      for (const id of ids) {
        const prompts = await place.store.prompts(id, { after: null, limit: 10 });
        const extra = ["s5", "s9"].includes(id) ? ["other"] : [];
        assert.deepEqual(
          prompts.map(({ promptId }) => promptId).toSorted(),
          [...extra, "p1", "p2", "p3"].toSorted(),
        );
      }
    },
  );

  storeTest(
    engine,
    "C6 a cancel of a settled prompt in one batch with a new prompt knows its outcome",
    async (place) => {
      const lane = await place.newLane("s");
      done(await lane.accept("p1", { reply: false }));
      const answers = await Promise.all([
        lane.accept("p2"),
        lane.cancel("c1", { kind: "prompt", promptId: "p1" }),
        lane.cancel("c2", { kind: "prompt", promptId: "none" }),
      ]);
      assert.deepEqual(answers.map(verdict), ["done", "done", "unknownPrompt"]);
    },
  );

  storeTest(
    engine,
    "requests that arrive together are decided in order and see each other",
    async (place) => {
      const lane = place.lane("s");
      const answers = await Promise.all([
        lane.create(),
        lane.accept("p1"),
        lane.start("run1"),
        lane.accept("p2", { delivery: "ifIdle" }),
        lane.cancel("c1"),
        lane.cancel("c1"),
        lane.accept("p3"),
      ]);
      assert.deepEqual(answers.map(verdict), [
        "done",
        "done",
        "done",
        "busy",
        "done",
        "done",
        "done",
      ]);
      const [cancel, again] = [answers[4], answers[5]];
      assert.ok(cancel !== undefined && again !== undefined);
      assert.deepEqual(done(again).receipt, done(cancel).receipt);
      assert.deepEqual(
        done(cancel).receipt?.covered.map(({ promptId, was }) => [promptId, was]),
        [["p1", "running"]],
      );
      assert.deepEqual(
        (await lane.state()).queue.map((item) => item.acceptSeq),
        [6],
      );
    },
  );

  const bad: Record<string, StoreRequest> = {
    "throws in its decision": {
      command: JSON.parse(
        '{ "type": "run.end", "sessionId": "s", "actor": { "kind": "client", "id": "me" } }',
      ),
    },
    "can't be written": {
      command: { sessionId: "s", actor: person, ...make.accept("bad") },
      bodies: [{ ...makeBody("words"), hash: JSON.parse("null") }],
    },
  };
  for (const [what, request] of Object.entries(bad)) {
    storeTest(engine, `one request of 64 that ${what} leaves the others alone`, async (place) => {
      const lane = await place.newLane("s");
      const ids = Array.from({ length: 12 }, (_, number) => `t${number}`);
      const beside = await Promise.all(ids.map((id) => place.newLane(id)));
      const others = Array.from({ length: 60 }, (_, number) => `p${number}`);
      const answers = [
        ...beside.map((other) => other.accept("p")),
        ...others.map((promptId) => lane.accept(promptId)),
      ];
      const failure = assert.rejects(place.store.execute(request));
      const later = lane.accept("later");
      await failure;
      const verdicts = (await Promise.all([...answers, later])).map(verdict);
      assert.deepEqual(new Set(verdicts), new Set(["done"]));
      const { queue } = await lane.state();
      assert.deepEqual(
        queue.map((item) => (item.kind === "prompt" ? item.promptId : item.workId)).toSorted(),
        [...others, "later"].toSorted(),
      );
    });
  }

  storeTest(
    engine,
    "a write that no rule refused, but that would happen twice, is a violation",
    async (place) => {
      const lane = await place.newLane("s");
      await lane.accept("p1");
      await lane.start("run1");
      await lane.end({ status: "failed", reason: "agentError" });
      await lane.accept("p2");
      const before = await lane.events();
      const other = await place.newLane("t");
      const [violation, accepted] = await Promise.allSettled([
        lane.start("run1"),
        other.accept("p"),
      ]);
      assert.equal(violation.status, "rejected");
      assert.equal(violation.reason.code, "storeViolation");
      assert.equal(accepted.status, "fulfilled");
      assert.deepEqual(await lane.events(), before);
      done(await lane.start("run2"));
    },
  );

  storeTest(
    engine,
    "a store that closes answers what it was sent, and nothing after",
    async (place) => {
      const lane = await place.newLane("s");
      const { store } = place;
      const sent = Array.from({ length: 300 }, (_, number) => lane.accept(`p${number}`));
      const closing = store.close();
      const closed = { name: "StoreError", code: "storeClosed" };
      const command: CommandInput = { sessionId: "s", actor: person, ...make.accept("late") };
      await assert.rejects(store.execute({ command }), closed);
      const answers = await Promise.all(sent);
      assert.deepEqual(new Set(answers.map(verdict)), new Set(["done"]));
      await closing;
      await store.close();
      await assert.rejects(store.lane("s"), closed);
      await assert.rejects(store.pending({ limit: 1 }), closed);
      await assert.rejects(store.renew("node"), closed);
      await place.reopen();
      const { queue } = await place.lane("s").state();
      assert.equal(queue.length, 300);
    },
  );
}
