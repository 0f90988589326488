import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "./test-server.ts";
import type { TestServer } from "./test-server.ts";

/** Signs in a browser; returns its cookie and the headers that its page sends. */
async function signIn(
  { ask, serving, url }: Pick<TestServer, "ask" | "serving" | "url">,
  link?: string,
): Promise<{ cookie: string; attributes: string; key: string; page: Record<string, string> }> {
  const { hash } = new URL(link ?? (await serving.link()));
  const body = { code: hash.slice(1) };
  const headers = { origin: url, "sec-fetch-site": "same-origin" };
  const answer = await ask("POST", "/v1/sign-in", { body, headers });
  assert.equal(answer.status, 201, answer.text);
  const [set = ""] = answer.headers["set-cookie"] ?? [];
  const [cookie = "", ...attributes] = set.split("; ");
  const { key }: { key: string } = JSON.parse(answer.text);
  const page = { ...headers, cookie, "x-holdfast-key": key };
  return { cookie, attributes: attributes.join("; "), key, page };
}

test("stolen cookie: without the page's key it is refused, whatever else is forged", async (t) => {
  const testServer = await openTestServer(t);
  const { cookie, attributes, key, page } = await signIn(testServer);
  const { ask } = testServer;
  assert.equal(attributes, "Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict");
  const [, value = ""] = cookie.split("=");
  const { "x-holdfast-key": _, ...stolen } = page;
  const other = await signIn(testServer);
  const attempts = [
    await ask("GET", "/v1/me", { headers: stolen }),
    await ask("POST", "/v1/link", { headers: stolen }),
    await ask("GET", "/v1/events?follow=false", { headers: stolen }),
    await ask("GET", "/v1/me", { token: value }),
    await ask("GET", "/v1/me", { token: key }),
    await ask("GET", "/v1/me", { headers: { "x-holdfast-key": key } }),
    await ask("GET", "/v1/me", { headers: { ...stolen, "x-holdfast-key": "" } }),
    await ask("GET", "/v1/me", { headers: { ...stolen, "x-holdfast-key": value } }),
    await ask("GET", "/v1/me", { headers: { ...stolen, "x-holdfast-key": other.key } }),
  ];
  assert.deepEqual(
    attempts.map(({ status, code }) => `${status} ${code}`),
    Array<string>(attempts.length).fill("401 unauthorized"),
  );
  const own = await ask("POST", "/v1/link", { headers: page });
  assert.equal(own.status, 201);
});

test("one-time link: a second browser or a page of another site cannot use it", async (t) => {
  const testServer = await openTestServer(t);
  const { ask, serving } = testServer;
  const link = await serving.link();
  const body = { code: new URL(link).hash.slice(1) };
  const foreign = { origin: "http://127.0.0.1:3000", "sec-fetch-site": "same-site" };
  const refused = await ask("POST", "/v1/sign-in", { body, headers: foreign });
  assert.deepEqual([refused.status, refused.code], [403, "badOrigin"]);
  await signIn(testServer, link);
  const again = await ask("POST", "/v1/sign-in", { body });
  assert.deepEqual(
    [again.status, again.code, "set-cookie" in again.headers],
    [410, "badLink", false],
  );
});

test("revoked token: browsers and links made from it, even indirectly, end with it", async (t) => {
  const testServer = await openTestServer(t);
  const { ask, owner, url } = testServer;
  const { text } = await ask("POST", "/v1/tokens", {
    token: owner,
    body: { name: "second", role: "admin" },
  });
  const { tokenId, secret }: { tokenId: string; secret: string } = JSON.parse(text);
  const linkBy = async (asked: object): Promise<string> => {
    const { url: link }: { url: string } = JSON.parse((await ask("POST", "/v1/link", asked)).text);
    return link;
  };
  const first = await signIn(testServer, await linkBy({ token: secret }));
  const second = await signIn(testServer, await linkBy({ headers: first.page }));
  const unused = await linkBy({ headers: second.page });
  const stream = await fetch(`${url}/v1/events`, { headers: second.page });
  assert.equal(stream.status, 200);
  const events = stream.text();
  assert.equal((await ask("DELETE", `/v1/tokens/${tokenId}`, { token: owner })).status, 200);
  assert.match(await events, /event: closed\ndata: \{"reason":"revoked"/);
  const after = [
    await ask("GET", "/v1/me", { headers: first.page }),
    await ask("GET", "/v1/me", { headers: second.page }),
    await ask("POST", "/v1/sign-in", { body: { code: new URL(unused).hash.slice(1) } }),
  ];
  assert.deepEqual(
    after.map(({ code }) => code),
    ["unauthorized", "unauthorized", "badLink"],
  );
  const listed = await ask("GET", "/v1/tokens", { token: owner });
  const { items }: { items: { name: string; kind: string; revokedAt: number | null }[] } =
    JSON.parse(listed.text);
  assert.deepEqual(
    items.map(({ name, kind, revokedAt }) => `${name} ${kind} ${revokedAt !== null}`).toSorted(),
    [
      "owner token false",
      "second token true",
      "second/web browser true",
      "second/web browser true",
    ],
  );
});
