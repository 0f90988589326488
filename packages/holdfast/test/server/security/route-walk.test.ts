import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Route } from "../../../src/contract/route.ts";
import { routeEntries } from "../../../src/contract/routes.ts";
import { roleSchema } from "../../../src/contract/token.ts";
import type { Role } from "../../../src/contract/token.ts";
import { waitFor } from "../../support/wait-for.ts";
import { openTestServer } from "./test-server.ts";
import type { TestServer } from "./test-server.ts";

// Tries every route of the contract with every kind of credential. The expected result follows from
// the role that the contract names, so new routes and roles are covered.

type Outcome = "admitted" | "unauthorized" | "forbidden" | "unknownSession";

/** Sorted by rank: each role includes those before it. */
const roles: readonly Role[] = roleSchema.unwrap().options;
const routes = routeEntries().map(([name, route]) => ({ name, route }));

function expectedFor(route: Route, role: Role | null): Outcome {
  if (route.role === null) return "admitted";
  if (role === null) return "unauthorized";
  return roles.indexOf(role) >= roles.indexOf(route.role) ? "admitted" : "forbidden";
}

/** Uses a body that no route accepts, so an admitted request changes nothing. */
async function tryRoute(
  { url }: TestServer,
  route: Route,
  options: { headers: Record<string, string>; sessionId: string },
): Promise<Outcome> {
  const values: Record<string, string> = {
    sessionId: options.sessionId,
    hash: "0".repeat(64),
    seq: "1",
  };
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "none");
  const query = path.endsWith("/events") ? "?follow=false" : "";
  const isBodied = route.method === "POST" || route.method === "PATCH";
  const answer = await fetch(url + path + query, {
    method: route.method,
    headers: { ...options.headers, ...(isBodied ? { "content-type": "application/json" } : {}) },
    ...(isBodied ? { body: "{" } : {}),
  });
  const text = await answer.text();
  if (answer.status === 401) return "unauthorized";
  if (answer.status === 403 && text.includes('"needed"')) return "forbidden";
  return text.includes('"code":"unknownSession"') ? "unknownSession" : "admitted";
}

/** Tries all routes and compares the results with the expected ones. */
async function walk(
  testServer: TestServer,
  options: {
    headers: Record<string, string>;
    sessionId: string;
    expected: (route: Route) => Outcome;
  },
): Promise<void> {
  const seen: Record<string, Outcome> = {};
  for (const { name, route } of routes) seen[name] = await tryRoute(testServer, route, options);
  const expected = routes.map(({ name, route }) => [name, options.expected(route)]);
  assert.deepEqual(seen, Object.fromEntries(expected));
}

const bearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` });

async function openWalk(t: Parameters<typeof openTestServer>[0]): Promise<TestServer> {
  const testServer = await openTestServer(t, { limits: { strangerRate: null, tokenRate: null } });
  await testServer.session("mine", "a");
  await testServer.session("theirs", "b");
  return testServer;
}

test("route walk: without a token, with a wrong one or with half a browser session, every route is refused", async (t) => {
  const testServer = await openWalk(t);
  const { hash } = new URL(await testServer.serving.link());
  const signedIn = await testServer.ask("POST", "/v1/sign-in", { body: { code: hash.slice(1) } });
  const [cookie = ""] = signedIn.headers["set-cookie"] ?? [];
  const { key }: { key: string } = JSON.parse(signedIn.text);
  const half = { cookie: cookie.split(";")[0] ?? "" };
  const others: Record<string, string>[] = [
    {},
    bearer(`hf_0123456789ab_${"x".repeat(43)}`),
    half,
    { "x-holdfast-key": key },
  ];
  for (const headers of others) {
    const expected = (route: Route): Outcome => expectedFor(route, null);
    await walk(testServer, { headers, sessionId: "mine", expected });
  }
});

for (const role of roles) {
  test(`route walk: the role ${role} may use exactly the routes of its rank`, async (t) => {
    const testServer = await openWalk(t);
    const { secret } = await testServer.token(role);
    const expected = (route: Route): Outcome => expectedFor(route, role);
    await walk(testServer, { headers: bearer(secret), sessionId: "mine", expected });
  });
}

for (const role of roles.filter((each) => each !== "admin")) {
  test(`route walk: limited to a directory, the role ${role} finds no session in others`, async (t) => {
    const testServer = await openWalk(t);
    const { secret } = await testServer.token(role, [join(testServer.folder, "a")]);
    const headers = bearer(secret);
    const own = (route: Route): Outcome => expectedFor(route, role);
    const elsewhere = (route: Route): Outcome =>
      route.path.includes("{sessionId}") && own(route) === "admitted"
        ? "unknownSession"
        : own(route);
    await walk(testServer, { headers, sessionId: "theirs", expected: elsewhere });
    await walk(testServer, { headers, sessionId: "mine", expected: own });
  });
}

test("route walk: limited to a directory, no list names a session or a directory elsewhere", async (t) => {
  const testServer = await openWalk(t);
  const { ask, owner, folder } = testServer;
  const outside = join(folder, "b");
  // A failed prompt, a run with an open request, a waiting prompt and a reload in the other directory.
  const prompts = { first: "fail", second: "ask may I?", third: "say hello" };
  for (const [promptId, text] of Object.entries(prompts)) {
    const body = { promptId, text };
    await ask("POST", "/v1/sessions/theirs/prompts", { token: owner, body });
  }
  await waitFor(async () => (await ask("GET", "/v1/asks", { token: owner })).text, {
    describe: "the open request",
    until: (text) => text.includes('"theirs"'),
  });
  const refresh = { kind: "refresh", directories: [outside] };
  await ask("POST", "/v1/maintenance", { token: owner, body: refresh });
  const lists = routes.filter(
    ({ route }) => route.method === "GET" && route.role !== null && !route.path.includes("{"),
  );
  const queries: Record<string, string> = { followAll: "?follow=false", search: "?q=hello" };
  const shown = async (token: string): Promise<string[]> => {
    const found: string[] = [];
    for (const { name, route } of lists) {
      const { text } = await ask("GET", route.path + (queries[name] ?? ""), { token });
      if (text.includes('"theirs"') || text.includes(outside)) found.push(name);
    }
    return found;
  };
  assert.deepEqual((await shown(owner)).toSorted(), [
    "followAll",
    "getActivity",
    "getStatus",
    "getTimeline",
    "listAsks",
    "listMaintenance",
    "listNodes",
    "listSessions",
    "listWorkspaces",
    "search",
  ]);
  const limit = [join(folder, "a")];
  for (const role of roles.filter((each) => each !== "admin")) {
    const { secret } = await testServer.token(role, limit);
    assert.deepEqual([role, await shown(secret)], [role, []]);
  }
});

// Each tool call over /mcp is a request of its own, which test/mcp-server/rights.test.ts tries with each role.
// The other routes of this list change only settings, devices and the sign-in of the caller (test/server/push).
test("role: an observe token can change no data of others by any route", () => {
  const open = routes.filter(({ route }) => route.method !== "GET" && route.role === "observe");
  assert.deepEqual(open.map(({ name }) => name).toSorted(), [
    "addPushSubscription",
    "callMcp",
    "changeNotificationSettings",
    "markSeen",
    "removePushSubscription",
    "signOut",
    "testPushSubscription",
  ]);
});
