import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../../holdfast/test/support/wait-for.ts";
import { pickAgent } from "../../src/commands/pick-model.ts";
import { connectTo, openClient, showSession } from "../support/client.ts";

test("/agent sets the agent of the session in which it was typed, even if another one is opened meanwhile", async (t) => {
  const { client, text } = openClient(t);
  const sent: unknown[] = [];
  const handle = (sessionId: string) => ({
    sessionId,
    setAgent: async (agent: string | null) => void sent.push([sessionId, agent]),
  });
  const loaded = Promise.withResolvers<object>();
  connectTo(client, { workspaces: { get: () => loaded.promise } });
  client.connection = "connected";
  showSession(client, handle("A"));
  const picking = pickAgent(client, "planner");
  showSession(client, handle("B"));
  loaded.resolve({ agent: null, agents: [{ name: "planner", description: "", isHosted: false }] });
  await picking;
  await waitFor(() => sent.length === 1, { describe: "the request" });
  await client.agent.stored;
  assert.deepEqual([sent, client.agent.current], [[["A", "planner"]], null]);
  assert.doesNotMatch(text(), /planner/);
});
