import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openTestServer } from "./test-server.ts";

interface Actor {
  kind: string;
  id: string;
}

test("forged import: imported messages have no local actor, whatever the document names", async (t) => {
  const { ask, owner, session, token, folder } = await openTestServer(t);
  await session("source", "a");
  for (const promptId of ["p1", "p2", "p3"]) {
    const body = { promptId, text: "say hello" };
    await ask("POST", "/v1/sessions/source/prompts?wait=20", { token: owner, body });
  }
  const { text } = await ask("GET", "/v1/sessions/source/export", { token: owner });
  const document: { events: { type: string; actor: Actor; promptId?: string }[] } =
    JSON.parse(text);
  const forged = new Map<string | undefined, Actor>([
    ["p1", { kind: "client", id: "owner" }],
    ["p2", { kind: "node", id: "node-1" }],
    ["p3", { kind: "run", id: "run-1" }],
  ]);
  for (const event of document.events) {
    if (event.type === "prompt.accepted") event.actor = forged.get(event.promptId) ?? event.actor;
  }
  const { secret: attacker } = await token("prompt", [join(folder, "a")]);
  const into = `sessionId=copy&directory=${encodeURIComponent(join(folder, "a"))}`;
  const imported = await ask("POST", `/v1/sessions/import?${into}`, {
    token: attacker,
    body: document,
  });
  assert.equal(imported.status, 201, imported.text);
  const again = await ask("POST", `/v1/sessions/import?${into}`, {
    token: attacker,
    body: document,
  });
  assert.equal(again.status, 201, again.text);

  const authors = async (sessionId: string): Promise<Actor[]> => {
    const page = await ask("GET", `/v1/sessions/${sessionId}/messages`, { token: owner });
    const { items }: { items: { role: string; actor: Actor }[] } = JSON.parse(page.text);
    return items.filter(({ role }) => role === "user").map(({ actor }) => actor);
  };
  const marked = [
    { kind: "client", id: "imported:owner" },
    { kind: "node", id: "imported:node-1" },
    { kind: "run", id: "imported:run-1" },
  ];
  assert.deepEqual(await authors("copy"), marked);
  const created = await ask("GET", "/v1/sessions/copy/events/1", { token: owner });
  assert.match(created.text, /"actor":\{"kind":"client","id":"the-prompt"\}/);

  // Neither a fork of the copy nor a token with the same name removes the mark.
  await ask("POST", "/v1/sessions/copy/fork", { token: attacker, body: { sessionId: "fork" } });
  assert.deepEqual(await authors("fork"), marked);
  const name = { name: "imported:owner", role: "prompt" };
  const named = await ask("POST", "/v1/tokens", { token: owner, body: name });
  assert.deepEqual([named.status, named.code], [400, "invalid"]);
  const client = { "x-holdfast-client": "imported:owner" };
  const sent = await ask("GET", "/v1/me", { token: attacker, headers: client });
  assert.deepEqual([sent.status, sent.code], [400, "invalid"]);
});
