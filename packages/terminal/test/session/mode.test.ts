import assert from "node:assert/strict";
import { test } from "node:test";
import { openClient, showSession } from "../support/client.ts";

test("a mode that was chosen for a new session is kept when an earlier session confirms the same mode", async (t) => {
  const { client } = openClient(t);
  const answer = Promise.withResolvers<object>();
  showSession(client, { setMode: () => answer.promise });
  const set = client.mode.set("plan");
  client.startNew();
  await client.mode.set("plan");
  answer.resolve({ mode: "plan" });
  await set;
  assert.equal(client.mode.wanted, "plan");
});
