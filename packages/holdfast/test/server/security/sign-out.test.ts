import assert from "node:assert/strict";
import { test } from "node:test";
import { createDevice } from "../push/device.ts";
import { openTestServer } from "./test-server.ts";
import type { TestServer } from "./test-server.ts";

/** Signs a browser in and returns the headers that its page sends. */
async function signIn({ ask, serving }: TestServer): Promise<Record<string, string>> {
  const { hash } = new URL(await serving.link());
  const answer = await ask("POST", "/v1/sign-in", { body: { code: hash.slice(1) } });
  const [set = ""] = answer.headers["set-cookie"] ?? [];
  const { key }: { key: string } = JSON.parse(answer.text);
  return { cookie: set.split("; ")[0] ?? "", "x-holdfast-key": key };
}

test("sign-out ends one browser at once, with its cookie and its push messages", async (t) => {
  const server = await openTestServer(t, { allowPrivateWebhooks: true });
  const { ask, owner } = server;
  const [leaving, staying] = [await signIn(server), await signIn(server)];
  const body = { endpoint: "http://127.0.0.1:9/phone", keys: createDevice().keys };
  const added = await ask("POST", "/v1/push", { headers: leaving, body });
  assert.equal(added.status, 201, added.text);
  const left = await ask("POST", "/v1/sign-out", { headers: leaving });
  assert.equal(left.status, 204);
  assert.match(String(left.headers["set-cookie"]), /^holdfast-\d+=; Path=\/; Max-Age=0; HttpOnly/);
  assert.equal((await ask("GET", "/v1/me", { headers: leaving })).status, 401);
  assert.equal((await ask("GET", "/v1/me", { headers: staying })).status, 200);
  const { items }: { items: unknown[] } = JSON.parse(
    (await ask("GET", "/v1/push", { headers: staying })).text,
  );
  assert.deepEqual(items, []);
  const token = await ask("POST", "/v1/sign-out", { token: owner });
  assert.deepEqual([token.status, token.code], [400, "invalid"]);
});
