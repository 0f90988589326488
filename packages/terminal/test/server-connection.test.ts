import assert from "node:assert/strict";
import { test } from "node:test";
import type { Holdfast } from "@holdfast/sdk";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { connect } from "../src/server-connection.ts";
import type { ConnectionEvents, Opened } from "../src/server-connection.ts";
import { openClient } from "./support/client.ts";

const detail = { agent: null, seq: 0, queue: [], holds: [], active: null, usage: { cost: 0 } };

/** A client whose connections a test opens and reports. Prompts wait until `accept` is called. */
function openPlace(t: Parameters<typeof openClient>[0]) {
  const { client, text } = openClient(t);
  const accepted = Promise.withResolvers<void>();
  const handle = {
    sessionId: "new",
    prompt: () => accepted.promise,
    markSeen: async () => {},
    get: async () => detail,
    eachAsk: async function* () {},
    events: async function* () {
      yield await new Promise<never>(() => {});
    },
  };
  const server = {
    me: async () => ({ name: "ann" }),
    sessions: { list: async () => ({ items: [] }), create: async () => handle },
    session: () => handle,
    asks: async () => ({ items: [] }),
    events: async function* () {},
    workspaces: { get: () => new Promise<never>(() => {}) },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client calls only these methods
  const holdfast = server as unknown as Holdfast;
  const opened: Opened = { holdfast, offer: async () => {}, close: async () => {} };
  const opens: { events: ConnectionEvents; succeed: () => void }[] = [];
  const connection = connect(client, {
    directory: "/srv/shop",
    start: { kind: "auto" },
    agent: null,
    setsAgent: false,
    open: (events) =>
      new Promise((resolve) => opens.push({ events, succeed: () => resolve(opened) })),
  });
  t.after(() => void connection.close());
  /** Completes the newest start of a server. */
  const serve = async (): Promise<void> => {
    opens.at(-1)?.succeed();
    await waitFor(() => client.connection === "connected", { describe: "the connection" });
  };
  const report: ConnectionEvents["onConnection"] = (state) => opens[0]?.events.onConnection(state);
  return { client, text, opens, serve, report, accept: accepted.resolve };
}

test("a server that stops before it has accepted a prompt is started again (P1)", async (t) => {
  const { client, text, opens, serve, report, accept } = openPlace(t);
  await serve();
  report("stopped");
  assert.equal(opens.length, 1);
  client.outbox.send("hello", "queue");
  await waitFor(() => opens.length === 2, { describe: "the start of a server" });
  // Requests that wait for the new server still find none.
  report("stopped");
  assert.equal(client.connection, "away");
  await serve();
  report("stopped");
  await waitFor(() => opens.length === 3, { describe: "another start" });
  await serve();
  accept();
  await waitFor(() => client.outbox.waiting.length === 0, { describe: "the accepted prompt" });
  report("stopped");
  assert.deepEqual([client.connection, opens.length], ["stopped", 3]);
  client.paint();
  assert.equal(text().split("The server was stopped.").length - 1, 2);
});
