import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fact } from "../../../src/agent/agent.ts";
import type { Puppet } from "../../runner/support/puppets.ts";
import { tamper } from "../../runner/support/tampered-store.ts";
import type { TamperedStore } from "../../runner/support/tampered-store.ts";
import type { Message } from "./reader.ts";
import { openStreamFixture } from "./stream-fixture.ts";
import type { StreamFixture } from "./stream-fixture.ts";

test("T3: a reader that joins during a step gets a snapshot, then each delta once", async (context) => {
  const fixture = await openStreamFixture(context);
  const puppet = await beginRun(fixture);
  await puppet.boundary();
  const early = await fixture.read({ sessionId: "main" });
  await early.until("live");
  await puppet.say(text("Hello, "));
  await puppet.say(text("wor"));
  const late = await fixture.read({ sessionId: "main" });
  const joined = await late.until("snapshot");
  assert.deepEqual(
    joined.slice(-2).map(({ event }) => event),
    ["live", "snapshot"],
  );
  await puppet.say(text("ld"));
  await puppet.answer("Hello, world");
  const rest = {
    early: await early.until("step.answered"),
    late: await late.until("step.answered"),
  };
  assert.equal(textOf(rest.early), "Hello, world");
  assert.equal(textOf([...joined, ...rest.late]), "Hello, world");
});

test("T3: a restart discards the earlier text, even for a reader that joins later", async (context) => {
  const fixture = await openStreamFixture(context);
  const puppet = await beginRun(fixture);
  await puppet.boundary();
  await puppet.say(text("wrong"));
  await puppet.say({ type: "delta", kind: "restart", text: "" });
  await puppet.say(text("right"));
  const reader = await fixture.read({ sessionId: "main" });
  const joined = await reader.until("snapshot");
  assert.equal(textOf(joined), "right");
});

test("T2: no delta arrives before the event that starts its step, even if the event is read late", async (context) => {
  const tampered: { store: TamperedStore | null } = { store: null };
  const fixture = await openStreamFixture(context, {
    around: (store) => (tampered.store = tamper(store)),
  });
  const puppet = await beginRun(fixture);
  const reader = await fixture.read({ sessionId: "main" });
  await reader.until("live");
  // Events cannot be read for a while; deltas continue.
  const release = tampered.store?.hang(["events"]);
  await puppet.boundary();
  await puppet.say(text("too "));
  await puppet.say(text("early"));
  fixture.runtime.inFlight("main");
  release?.();
  await puppet.answer("too early");
  const seen = await reader.until("step.answered");
  const kinds = seen.map(({ event }) => event).filter((event) => event !== "session.renamed");
  assert.equal(kinds[0], "step.opened");
  assert.ok(kinds.slice(1, -1).every((kind) => kind === "snapshot" || kind === "delta"));
});

test("T3: a reader without deltas gets neither deltas nor snapshots", async (context) => {
  const fixture = await openStreamFixture(context);
  const puppet = await beginRun(fixture);
  await puppet.boundary();
  await puppet.say(text("Hello"));
  const reader = await fixture.read({ sessionId: "main", deltas: false });
  await reader.until("live");
  await puppet.say(text(", world"));
  await puppet.answer("Hello, world");
  const seen = await reader.until("step.answered");
  assert.deepEqual(
    seen.map(({ event }) => event).filter((event) => event !== "session.renamed"),
    ["step.answered"],
  );
});

test("each event is read and encoded once for all readers of a session", async (context) => {
  let reads = 0;
  const fixture = await openStreamFixture(context, {
    around: (store) => ({
      ...store,
      body: (hash) => {
        reads += 1;
        return store.body(hash);
      },
    }),
  });
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  const readers = await Promise.all(
    Array.from({ length: 50 }, () => fixture.read({ sessionId: "main" })),
  );
  for (const reader of readers) await reader.until("live");
  reads = 0;
  await fixture.runtime.prompt({ sessionId: "main", text: "hello", reply: false });
  const all = await Promise.all(readers.map((reader) => reader.until("prompt.settled")));
  assert.deepEqual(
    all,
    Array.from({ length: 50 }, () => all[0]),
  );
  assert.ok(reads <= 2, `${reads} bodies were read`);
});

test("readers that disconnect leave nothing behind", async (context) => {
  const fixture = await openStreamFixture(context);
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  const readers = [await fixture.read({ sessionId: "main" }), await fixture.read()];
  for (const reader of readers) await reader.until("live");
  assert.deepEqual(fixture.streams.count(), { session: 1, all: 1 });
  for (const reader of readers) await reader.cancel();
  assert.deepEqual(fixture.streams.count(), { session: 0, all: 0 });
});

test("M9: a drain delivers committed events, sends the reason, and accepts no more readers", async (context) => {
  const fixture = await openStreamFixture(context);
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  const readers = [await fixture.read({ sessionId: "main" }), await fixture.read()];
  for (const reader of readers) await reader.until("live");
  await fixture.runtime.prompt({ sessionId: "main", text: "hello", reply: false });
  await fixture.streams.drain();
  for (const reader of readers) {
    const seen = await reader.until("closed");
    const last = seen.findLast(({ id }) => id !== null);
    assert.equal(last?.event, "prompt.settled");
    assert.deepEqual(seen.at(-1), {
      id: null,
      event: "closed",
      data: { reason: "draining", after: last?.id },
    });
    assert.equal(await reader.next(), null);
  }
  await assert.rejects(fixture.read({ sessionId: "main" }), { code: "draining" });
});

async function beginRun(fixture: StreamFixture): Promise<Puppet> {
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  await fixture.runtime.prompt({ sessionId: "main", text: "hello" });
  return fixture.puppets.next("main");
}

function text(piece: string): Fact {
  return { type: "delta", kind: "text", text: piece };
}

/** The step in flight as a client shows it: a snapshot replaces, a delta appends. */
function textOf(messages: readonly Message[]): string {
  let shown = "";
  for (const { event, data } of messages) {
    if (event !== "snapshot" && event !== "delta") continue;
    assert(typeof data === "object" && data !== null && "text" in data);
    shown = event === "snapshot" ? String(data.text) : shown + String(data.text);
  }
  return shown;
}
