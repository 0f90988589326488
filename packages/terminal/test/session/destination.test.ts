import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionDetail } from "@holdfast/sdk";
import { waitFor } from "../../../holdfast/test/support/wait-for.ts";
import { connectTo, openClient, showSession } from "../support/client.ts";
import type { TestClient } from "../support/client.ts";

const detail = { agent: null, seq: 0, queue: [], holds: [], active: null, usage: { cost: 0 } };

/** A client that shows session A. Requests that send the text "slow" wait until `release` is called. */
function openOutbox(t: Parameters<typeof openClient>[0]) {
  const { client } = openClient(t);
  const sent: unknown[] = [];
  const gate = Promise.withResolvers<void>();
  const creating = { isAsked: false, gate: Promise.resolve() };
  const handle = (sessionId: string) => ({
    sessionId,
    prompt: async (text: string, { model }: { model?: string }) => {
      if (text === "slow") await gate.promise;
      sent.push([sessionId, text, model]);
    },
    setAgent: async (agent: string | null) => void sent.push([sessionId, "agent", agent]),
    setMode: async (mode: string) => void sent.push([sessionId, "mode", mode]),
  });
  connectTo(client, {
    session: (sessionId: string) => ({
      ...handle(sessionId),
      markSeen: async () => {},
      get: async () => detail,
      eachAsk: async function* () {},
      events: async function* () {
        yield await new Promise<never>(() => {});
      },
    }),
    sessions: {
      create: async () => {
        creating.isAsked = true;
        await creating.gate;
        return handle("new");
      },
    },
  });
  show(client, handle("A"));
  return { client, sent, handle, creating, release: gate.resolve };
}

function show(client: TestClient["client"], handle: object): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client reads only these fields
  showSession(client, handle, { detail: detail as unknown as SessionDetail });
}

test("a prompt goes to the session and the model of the time when it was typed (P1)", async (t) => {
  const { client, sent, handle, release } = openOutbox(t);
  client.model = "acme/small";
  client.outbox.send("slow", "queue");
  client.outbox.send("for A", "queue");
  client.outbox.note("note for A", client.destination());
  client.model = "acme/large";
  show(client, handle("B"));
  client.outbox.send("for B", "queue");
  release();
  await waitFor(() => sent.length === 4, { describe: "the prompts" });
  assert.deepEqual(sent, [
    ["A", "slow", "acme/small"],
    ["A", "for A", "acme/small"],
    ["A", "note for A", undefined],
    ["B", "for B", "acme/large"],
  ]);
});

test("a prompt of a session does not go to a new session that was started after it", async (t) => {
  const { client, sent, release } = openOutbox(t);
  client.outbox.send("slow", "queue");
  client.outbox.send("for A", "queue");
  client.startNew();
  client.outbox.send("for the new one", "queue");
  release();
  await waitFor(() => sent.length === 3, { describe: "the prompts" });
  assert.deepEqual(sent, [
    ["A", "slow", undefined],
    ["A", "for A", undefined],
    ["new", "for the new one", undefined],
  ]);
});

test("an agent and a mode that the user chooses while a session is being created are those of the session", async (t) => {
  const { client, sent, creating } = openOutbox(t);
  const created = Promise.withResolvers<void>();
  creating.gate = created.promise;
  client.startNew();
  client.outbox.send("first", "queue");
  await waitFor(() => creating.isAsked, { describe: "the request for a session" });
  client.agent.set("planner");
  await client.mode.set("plan");
  created.resolve();
  await waitFor(() => sent.length === 3, { describe: "the prompt" });
  assert.deepEqual(sent, [
    ["new", "agent", "planner"],
    ["new", "mode", "plan"],
    ["new", "first", undefined],
  ]);
});
