import assert from "node:assert/strict";
import { test } from "node:test";
import { routes } from "../../../src/contract/routes.ts";
import { waitFor } from "../../support/wait-for.ts";
import { openTestServer } from "./test-server.ts";

test("self-approval: a propose token sends prompts and cannot answer their asks", async (t) => {
  const { ask, owner, session, token } = await openTestServer(t);
  await session("s", "a");
  const { secret: agent } = await token("propose");
  const body = { promptId: "p", text: "ask may I?" };
  const sent = await ask("POST", "/v1/sessions/s/prompts", { token: agent, body });
  assert.equal(sent.status, 202);
  const askId = await waitFor(
    async () => {
      const { text } = await ask("GET", "/v1/sessions/s/asks?open=true", { token: agent });
      const { items }: { items: { askId: string }[] } = JSON.parse(text);
      return items[0]?.askId;
    },
    { describe: "an open ask of the run" },
  );
  const path = `/v1/sessions/s/asks/${askId}/answer`;
  const allow = { body: { verdict: "allow" } };
  const refused = await ask("POST", path, { token: agent, ...allow });
  assert.deepEqual([refused.status, refused.code], [403, "forbidden"]);
  assert.match(refused.text, /has the role propose; this request needs the role prompt/);
  assert.equal((await ask("POST", path, { token: owner, ...allow })).status, 200);
  const settled = await ask("GET", "/v1/sessions/s/prompts/p?wait=20", { token: agent });
  assert.match(settled.text, /"status":"completed"/);
});

test("self-approval: a propose token cannot put a hosted agent into a mode that asks for nothing", async (t) => {
  const { ask, owner, session, token } = await openTestServer(t);
  await session("s", "a");
  const { secret: agent } = await token("propose");
  const body = { promptId: "p", text: "say hello", agentMode: "bypassPermissions" };
  const refused = await ask("POST", "/v1/sessions/s/prompts", { token: agent, body });
  assert.deepEqual([refused.status, refused.code], [403, "forbidden"]);
  assert.match(refused.text, /has the role propose; agentMode needs the role prompt/);
  const accepted = await ask("POST", "/v1/sessions/s/prompts", { token: owner, body });
  assert.equal(accepted.status, 202);
});

test("role propose: may add and stop prompts and sessions, and change nothing else", () => {
  const open = Object.entries(routes)
    .filter(([, { role }]) => role === "propose")
    .map(([name]) => name);
  assert.deepEqual(open.toSorted(), [
    "cancelSession",
    "createSession",
    "forkSession",
    "listFiles",
    "sendPrompt",
    "uploadAttachment",
    "withdrawPrompt",
  ]);
});

test("role propose: a token can be limited to directories, and is listed with its role", async (t) => {
  const { ask, owner, token, folder } = await openTestServer(t);
  const { id, secret } = await token("propose", [`${folder}/a`]);
  const me = await ask("GET", "/v1/me", { token: secret });
  assert.match(me.text, /"role":"propose"/);
  const { text } = await ask("GET", "/v1/tokens", { token: owner });
  const { items }: { items: { tokenId: string; role: string }[] } = JSON.parse(text);
  assert.equal(items.find(({ tokenId }) => tokenId === id)?.role, "propose");
  const body = { directory: `${folder}/b` };
  const outside = await ask("POST", "/v1/sessions", { token: secret, body });
  assert.deepEqual([outside.status, outside.code], [403, "forbidden"]);
});
