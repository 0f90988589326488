import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { noUsage } from "../../../src/kernel/state.ts";
import { placesOf } from "../../../src/store/sqlite/places.ts";
import { openSqliteReader } from "../../../src/store/sqlite/reader.ts";
import { packSettled, unpackSettled } from "../../../src/store/sqlite/settled-row.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { StoreReader } from "../../../src/store/store.ts";
import { edit } from "../../kernel/support/commands.ts";
import { audit } from "../audit.ts";
import { done, openLane } from "../lane-client.ts";
import { databaseFile } from "./folder.ts";
import { ledgerKey } from "../../../src/store/sqlite/ledger-reads.ts";

/** Ids for which the ledger has one key. */
const twins = ["prompt-78438", "prompt-550862"] as const;

async function seenBy(reader: StoreReader, ids: readonly string[]): Promise<unknown> {
  const page = { after: null, limit: 100 };
  return {
    rows: await Promise.all(ids.map((id) => reader.prompt("main", id))),
    list: await reader.prompts("main", page),
    events: await Promise.all(ids.map((subject) => reader.events("main", { ...page, subject }))),
  };
}

test("ledger keys are stable and differ between lanes", () => {
  assert.deepEqual(
    [ledgerKey(1, "p1"), ledgerKey(2, "p1"), ledgerKey(1, ""), ledgerKey(2 ** 21 + 1, "p1")],
    [6_569_729_469, 10_864_696_765, 4_742_808_910, 6_569_729_469],
  );
});

test("P4 prompts with the same ledger key keep their own rows", async (context) => {
  const [first, second] = twins;
  assert.equal(ledgerKey(1, first), ledgerKey(1, second));
  for (const order of [twins, twins.toReversed()]) {
    const file = databaseFile(context);
    const store = await openSqliteStore({ file });
    const reader = await openSqliteReader({ file });
    const main = openLane(store, "main");
    done(await main.create());
    for (const id of twins) done(await main.accept(id));
    const statuses = async (): Promise<unknown[]> =>
      (await reader.prompts("main", { after: null, limit: 9 })).map(({ status }) => status);
    for (const [settled, id] of order.entries()) {
      done(await main.cancel(`cancel-${id}`, { kind: "prompt", promptId: id }));
      assert.equal((await statuses()).filter((status) => status === "settled").length, settled + 1);
      assert.equal((await reader.prompt("main", id))?.status, "settled");
      assert.deepEqual(await seenBy(reader, twins), await seenBy(store, twins));
    }
    for (const subject of twins) {
      const events = await reader.events("main", { after: null, limit: 9, subject });
      assert.deepEqual(
        events.map(({ type }) => type),
        ["prompt.accepted", "prompt.settled"],
      );
    }
    assert.deepEqual(await audit(reader), []);
    await reader.close();
    await store.close();
  }
});

test("P4 prompts with the same id in lanes that share their keys each keep their own row", async (context) => {
  const file = databaseFile(context);
  const made = await openSqliteStore({ file });
  for (const sessionId of ["main", "far"]) done(await openLane(made, sessionId).create());
  await made.close();
  const far = 1 + 2 ** 21;
  assert.equal(ledgerKey(1, "p1"), ledgerKey(far, "p1"));
  const database = new DatabaseSync(file);
  database.exec(`UPDATE lanes SET lane = ${far} WHERE session_id = 'far';
    UPDATE events SET lane = ${far} WHERE lane = 2`);
  database.close();
  const store = await openSqliteStore({ file });
  const reader = await openSqliteReader({ file });
  for (const sessionId of ["main", "far"]) {
    const lane = openLane(store, sessionId);
    done(await lane.accept("p1", { text: `words for ${sessionId}` }));
    assert.equal((await reader.prompt(sessionId, "p1"))?.status, "queued");
    done(await lane.cancel("c1"));
  }
  assert.deepEqual(await audit(reader), []);
  await reader.close();
  await store.close();
});

test("P4 a settled row keeps every field", () => {
  const outcome = {
    status: "failed",
    reason: "agentError",
    runId: "run1",
    result: "result",
  } as const;
  const row = {
    sessionId: "main",
    promptId: "p1",
    acceptSeq: 2,
    contentHash: "content",
    body: "body",
    revision: 3,
    delivery: "interrupt",
    reply: false,
    actor: { kind: "client", id: "person" },
    acceptedAt: 4,
    parent: { sessionId: "parent", runId: "parent-run", background: true },
    resultOf: { sessionId: "child", promptId: "child-prompt", outcome, usage: noUsage },
    receipt: {
      cancelId: "c1",
      mark: 1,
      covered: [{ promptId: "p0", acceptSeq: 1, was: "queued", runId: null }],
      work: ["w1"],
      children: [],
      background: [],
      tree: false,
    },
    status: "settled",
    runId: "run1",
    outcome,
    settledAt: 5,
  } as const;
  assert.deepEqual(unpackSettled(packSettled(row), row), row);
});

test("P4 a prompt's outcome is found after many other events", async (context) => {
  const file = databaseFile(context);
  const store = await openSqliteStore({ file });
  const main = openLane(store, "main");
  done(await main.create());
  done(await main.accept("early"));
  done(await main.send(edit("early")));
  for (let number = 0; number < 40; number += 1) {
    done(await main.hold(`hold-${number}`));
    done(await main.release(`hold-${number}`));
  }
  done(await main.start("run"));
  assert.equal((await main.row("early")).status, "running");
  assert.deepEqual(await audit(store), []);
  for (let number = 0; number < 40; number += 1) {
    done(await main.hold(`later-${number}`));
    done(await main.release(`later-${number}`));
  }
  done(await main.end());
  assert.deepEqual(await audit(store), []);
  await store.close();
  const database = new DatabaseSync(file);
  const rows = database.prepare("SELECT (SELECT count(*) FROM prompts) AS left").get();
  assert.deepEqual({ ...rows }, { left: 0 });
  database.close();
});

test("P2 a second outcome is a store violation and nothing is stored", async (context) => {
  const file = databaseFile(context);
  const made = await openSqliteStore({ file });
  const before = openLane(made, "main");
  done(await before.create());
  done(await before.accept("p1"));
  await made.close();
  const database = new DatabaseSync(file);
  database
    .prepare("INSERT INTO settled (key, lane, position, row) VALUES (?, 1, 2, ?)")
    .run(ledgerKey(1, "p1"), JSON.stringify(["p1"]));
  database.close();
  const store = await openSqliteStore({ file });
  const main = openLane(store, "main");
  const log = await main.events();
  await assert.rejects(main.cancel("c1", { kind: "prompt", promptId: "p1" }), {
    code: "storeViolation",
    message:
      "prompt p1 of session main already has an outcome. Nothing was stored; please report it",
  });
  assert.deepEqual(await main.events(), log);
  done(await main.accept("p2"));
  done(await main.cancel("c2", { kind: "prompt", promptId: "p2" }));
  const events = (await main.events()).filter(({ type }) => type === "prompt.settled");
  assert.throws(
    () => placesOf(null, { events: [...events, ...events], positions: [1, 2] }),
    /prompt p2 of session main already has an outcome/,
  );
  await store.close();
});
