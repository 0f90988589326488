import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import type { TestContext } from "node:test";
import { Client } from "pg";
import type { Notification } from "pg";
import { waitFor } from "../support/wait-for.ts";
import { packState } from "../../src/kernel/packed.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { channelName } from "../../src/store/postgres/channel.ts";
import { openPostgresPlace } from "../runner/support/place.ts";
import type { Scope } from "../runner/support/place.ts";
import { queryOnce, sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";

// Another role of the database's server that may CONNECT and nothing else can listen to every
// notification and send its own. Each test plays one attack of such a role.

let server: SharedPostgres;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

const channels = ["holdfast_lanes", "holdfast_deltas"].map((prefix) =>
  channelName({ prefix, schema: "holdfast" }),
);

test("a role that may only connect cannot read the store or its secret", async (t) => {
  const { foreign } = await open(t);
  for (const table of ["records", "lanes", "events", "bodies"]) {
    await assert.rejects(foreign.client.query(`SELECT * FROM holdfast.${table}`), {
      message: "permission denied for schema holdfast",
    });
  }
});

test("a forged payload of any shape crashes no node and is counted", async (t) => {
  const { place, foreign } = await open(t);
  const payloads = [
    '{"version":1,"from":"e","messages":5}',
    'x/0 {"version":1,"from":"e","messages":5}',
    'x/0 {"version":1,"from":"e","messages":[null,{"kind":"want","sessions":7}]}',
    'x/0 {"version":1,"from":"e","messages":[{"kind":"delta","to":null}]}',
    "x/0 main:9007199254740991",
    "x/0 *",
    "x/0 #{}",
    "",
    randomBytes(5_000).toString("base64"),
  ];
  for (const channel of channels)
    for (const payload of payloads) await foreign.send(channel, payload);
  const sent = payloads.length * channels.length;
  for (const { store } of place.nodes) {
    await waitFor(() => store.rejectedNotifications(), {
      describe: "the rejected notifications",
      until: (count) => count === sent,
    });
  }
  const run = await place.openRun("p1");
  await run.finish("done");
  assert.equal(await place.outcome("p1"), "completed");
});

test("a database role that only listens learns no model output", async (t) => {
  const { place, foreign } = await open(t);
  const run = await place.openStep("p1");
  const reader = textOf(place.far(run));
  await run.say({ type: "delta", kind: "text", text: "the secret plan" });
  await waitFor(() => reader.text(), {
    describe: "the whole text",
    until: (text) => text === "the secret plan",
  });
  reader.stop();
  await run.finish("the secret plan");
  assert.equal(await place.outcome("p1"), "completed");
  assert(foreign.heard.some(({ channel }) => channel === channels[0]));
  assert(foreign.heard.some(({ channel }) => channel === channels[1]));
  for (const { payload = "" } of foreign.heard) {
    const seen = `${payload} ${Buffer.from(payload, "base64").toString("latin1")}`;
    assert(!/secret|plan|main|project|version|delta/.test(seen), seen);
  }
});

test("a forged delta and a repeated one reach no reader", async (t) => {
  const { place, foreign } = await open(t);
  const run = await place.openStep("p1");
  const far = place.far(run);
  const reader = textOf(far);
  await run.say({ type: "delta", kind: "text", text: "one " });
  await waitFor(() => reader.text(), {
    describe: "the whole text",
    until: (text) => text === "one ",
  });
  const { runId, attempt } = run.context;
  const step = { sessionId: "main", runId, step: 1, attempt };
  const forged = JSON.stringify({
    version: 1,
    from: "e",
    messages: [
      { kind: "begin", to: null, place: step, again: true, cut: false },
      { kind: "delta", to: null, delta: { ...step, kind: "text", callId: null, text: "forged" } },
    ],
  });
  const repeated = foreign.heard.flatMap(({ payload = "" }) => payload);
  assert(repeated.length > 0);
  for (const channel of channels) {
    for (const payload of [`x/0 ${forged}`, forged, ...repeated])
      await foreign.send(channel, payload);
  }
  const sent = (repeated.length + 2) * channels.length;
  for (const { store } of place.nodes) {
    await waitFor(() => store.rejectedNotifications(), {
      describe: "the rejected notifications",
      until: (count) => count === sent,
    });
  }
  await run.say({ type: "delta", kind: "text", text: "two" });
  await waitFor(() => reader.text(), {
    describe: "the whole text",
    until: (text) => text === "one two",
  });
  assert.deepEqual(reader.pieces, ["one ", "two"]);
  reader.stop();
  await run.finish("one two");
  assert.equal(await place.outcome("p1"), "completed");
});

test("a forged lane state does not move a session to another directory", async (t) => {
  const { place, foreign } = await open(t);
  const run = await place.openStep("p1");
  await run.finish("done");
  assert.equal(await place.outcome("p1"), "completed");
  const state = await place.first.store.lane("main");
  assert(state !== null);
  const text = `#${JSON.stringify(packState({ ...state, directory: "/elsewhere" }))}`;
  for (const channel of channels) {
    await foreign.send(channel, text);
    await foreign.send(channel, `x/0 ${text}`);
  }
  for (const { store } of place.nodes) {
    await waitFor(() => store.rejectedNotifications(), {
      describe: "the rejected notifications",
      until: (count) => count === 4,
    });
  }
  for (const { name, holdfast } of place.nodes) {
    await holdfast.prompt({ sessionId: "main", text: "next", promptId: name });
    const next = await place.puppets.next();
    assert.equal(next.context.directory, "/project");
    await next.finish("done");
  }
  assert.equal((await place.first.store.lane("main"))?.directory, "/project");
});

/** Two nodes on a database, and a role that may connect to it. */
async function open(t: TestContext) {
  const url = await server.createDatabase();
  const role = `foreign_${randomBytes(6).toString("hex")}`;
  const address = new URL(url);
  address.username = role;
  const client = new Client({ connectionString: address.href });
  // The place looks for connections that were left open.
  const scope: Scope = {
    after: (clean) => {
      t.after(async () => {
        await client.end();
        await queryOnce(url, `DROP ROLE ${role}`);
        await clean();
      });
    },
  };
  const place = await openPostgresPlace(scope, { url });
  await queryOnce(url, `CREATE ROLE ${role} LOGIN`);
  await untilListening(url, place.nodes.length);
  await client.connect();
  const heard: Notification[] = [];
  client.on("notification", (notification) => heard.push(notification));
  for (const channel of channels) await client.query(`LISTEN ${channel}`);
  const send = (channel: string, payload: string) =>
    client.query("SELECT pg_notify($1, $2)", [channel, payload]);
  return { place, foreign: { client, heard, send } };
}

/** Waits until all nodes listen to the messages of other nodes, which they begin to do after their start. */
async function untilListening(url: string, nodes: number): Promise<void> {
  const text = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'idle' AND query = 'LISTEN ${channels[1]}'`;
  await waitFor(() => queryOnce(url, text), {
    describe: "nodes that listen to messages",
    until: ([row]) => row?.["count"] === nodes,
  });
}

/** Adds up the text that a reader of `main` gets. */
function textOf(runtime: Runtime) {
  const pieces: string[] = [];
  let text = "";
  const stop = runtime.deltas("main", (delta) => {
    if (delta.kind === "restart") text = "";
    else pieces.push(delta.text);
    if (delta.kind === "text") text += delta.text;
  });
  return { text: () => text, pieces, stop };
}
