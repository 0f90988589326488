import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { routes } from "../../../src/contract/routes.ts";
import type { Route } from "../../../src/contract/route.ts";
import { openTestServer } from "./test-server.ts";

/** The path of a route with a value for each parameter. */
function pathOf({ path }: Route, values: Record<string, string> = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "x");
}

const table: readonly Route[] = Object.values(routes);

test("rebinding: a foreign host name is refused, even with a valid token", async (t) => {
  const { ask, owner, url } = await openTestServer(t);
  const { host } = new URL(url);
  const codes = [];
  for (const path of ["/", "/healthz", "/v1/sessions", "/v1/events", "/open", "/none"]) {
    for (const name of ["attacker.example", `attacker.example:${new URL(url).port}`, "10.0.0.1"]) {
      const { status, code } = await ask("GET", path, { token: owner, headers: { host: name } });
      codes.push(`${status} ${code}`);
    }
  }
  assert.deepEqual(new Set(codes), new Set(["421 badHost"]));
  const { status } = await ask("GET", "/v1/sessions", { token: owner, headers: { host } });
  assert.equal(status, 200);
});

test("cross-origin: pages of other sites can neither send, load nor pass a preflight", async (t) => {
  const { ask, owner, url } = await openTestServer(t);
  const { status: opened, headers } = await ask("GET", "/healthz");
  assert.deepEqual([opened, headers["access-control-allow-origin"]], [200, undefined]);
  const evil = { origin: "https://attacker.example", "sec-fetch-site": "cross-site" };
  const neighbour = { origin: "http://127.0.0.1:3000", "sec-fetch-site": "same-site" };
  const image = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
  const answers = [];
  for (const headers of [evil, neighbour, image]) {
    for (const [method, path] of [
      ["GET", "/v1/sessions"],
      ["GET", "/v1/events"],
      ["POST", "/v1/sessions"],
      ["DELETE", "/v1/sessions/x"],
      ["GET", "/"],
    ] as const) {
      const { status, code, ...answer } = await ask(method, path, { token: owner, headers });
      answers.push(`${status} ${code} ${"access-control-allow-origin" in answer.headers}`);
    }
  }
  assert.deepEqual(new Set(answers), new Set(["403 badOrigin false"]));
  const preflight = await ask("OPTIONS", "/v1/sessions", {
    headers: { ...evil, "access-control-request-method": "POST" },
  });
  assert.deepEqual([preflight.status, preflight.code], [403, "badOrigin"]);
  const own = await ask("GET", "/v1/sessions", { token: owner, headers: { origin: url } });
  assert.equal(own.status, 200);
});

test("revoked token: its streams end at once with the reason, and it is refused", async (t) => {
  const { ask, token, owner, session, url } = await openTestServer(t);
  await session("s", "a");
  const { id, secret } = await token("observe");
  const headers = { authorization: `Bearer ${secret}` };
  const streams = await Promise.all(
    ["/v1/sessions/s/events", "/v1/events"].map((path) => fetch(url + path, { headers })),
  );
  assert.deepEqual(
    streams.map(({ status }) => status),
    [200, 200],
  );
  const texts = streams.map((stream) => stream.text());
  assert.equal((await ask("DELETE", `/v1/tokens/${id}`, { token: owner })).status, 200);
  for (const text of await Promise.all(texts)) {
    assert.match(text, /event: closed\ndata: \{"reason":"revoked"/);
  }
  assert.equal((await ask("GET", "/v1/me", { token: secret })).code, "unauthorized");
});

test("path escape: no session id, content hash or folder reaches outside of the token's directories", async (t) => {
  const { ask, token, owner, folder } = await openTestServer(t);
  symlinkSync(join(folder, "b"), join(folder, "a", "link"));
  const { secret } = await token("prompt", [join(folder, "a")]);
  const create = async (directory: string): Promise<string> => {
    const body = { directory };
    const { status, code } = await ask("POST", "/v1/sessions", { token: secret, body });
    return `${status} ${code}`;
  };
  assert.deepEqual(
    await Promise.all(
      ["b", "a/../b", "a/link", "a/link/..", "ab", "."].map((part) => create(`${folder}/${part}`)),
    ),
    Array<string>(6).fill("403 forbidden"),
  );
  assert.equal(await create(join(folder, "a")), "201 null");
  assert.equal(await create("a"), "400 invalid");
  const paths = [
    "/v1/sessions/..",
    "/v1/sessions/..%2f..%2fetc%2fpasswd",
    "/v1/sessions/%2e%2e/messages",
    "/v1/sessions/a%00b",
    "/v1/sessions/%ff",
    "/v1/attachments/..%2f..%2ftoken",
    "/../../etc/passwd",
    "/docs/..%2f..%2ftoken",
    "//etc/passwd",
  ];
  const answers = await Promise.all(paths.map((path) => ask("GET", path, { token: owner })));
  const bad = answers.flatMap(({ status, text }, index) =>
    status >= 400 && status < 500 && !text.includes("root:") ? [] : [`${paths[index]} ${status}`],
  );
  assert.deepEqual(bad, []);
});

test("directory limits: sessions in other directories do not exist for a token, on any route", async (t) => {
  const { ask, token, session, folder, url, owner } = await openTestServer(t);
  await session("mine", "a");
  await session("theirs", "b");
  const { secret } = await token("prompt", [join(folder, "a")]);
  const seen: string[] = [];
  for (const route of table) {
    const isOwn = route.path.startsWith("/v1/sessions/{sessionId}") && route.role !== "admin";
    if (!isOwn) continue;
    const path = pathOf(route, { sessionId: "theirs" });
    const body = ["POST", "PATCH"].includes(route.method) ? { body: {} } : {};
    const { code } = await ask(route.method, path, { token: secret, ...body });
    if (code !== "unknownSession") seen.push(`${route.method} ${route.path} ${code}`);
  }
  assert.deepEqual(seen, []);
  const list = await ask("GET", "/v1/sessions", { token: secret });
  assert.deepEqual([list.text.includes('"mine"'), list.text.includes('"theirs"')], [true, false]);
  const feed = await fetch(`${url}/v1/events?follow=false`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  const events = await feed.text();
  assert.deepEqual([events.includes('"mine"'), events.includes('"theirs"')], [true, false]);
  assert.equal((await ask("GET", "/v1/sessions/theirs", { token: owner })).status, 200);
});
