import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { McpServerConfig } from "../../../src/agent/mcp/config.ts";
import { startSignIn } from "../../../src/agent/mcp/oauth/sign-in-flow.ts";
import type { SignInFlow } from "../../../src/agent/mcp/oauth/sign-in-flow.ts";
import { noOAuthSettings } from "../../../src/agent/mcp/oauth/sign-ins.ts";
import type { SignIns } from "../../../src/agent/mcp/oauth/sign-ins.ts";
import { createCredentials } from "../../../src/workspace/providers/credentials.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { mcpBench } from "./bench.ts";
import { oauthServer } from "./servers/oauth.ts";

function storedIn(t: TestContext): SignIns {
  return createCredentials(`${scratchFolder(t, "oauth")}/credentials.json`).serverSignIns;
}

async function start(t: TestContext, url: string, signIns: SignIns): Promise<SignInFlow> {
  const flow = await startSignIn({ serverUrl: url, settings: noOAuthSettings, signIns });
  t.after(() => flow.close());
  return flow;
}

/** The address that the authorization server would send the browser to. */
function callbackOf({ authorizationUrl }: SignInFlow): URL {
  const asked = new URL(authorizationUrl ?? "").searchParams;
  const callback = new URL(asked.get("redirect_uri") ?? "");
  callback.searchParams.set("code", "code-1");
  callback.searchParams.set("state", asked.get("state") ?? "");
  return callback;
}

function at(url: string): McpServerConfig {
  return { type: "http", url, headers: {}, timeout: null };
}

test("a server that needs a sign-in reports it, and is used with the tokens of the sign-in", async (t) => {
  const { open, call } = mcpBench(t);
  const server = await oauthServer(t);
  const signIns = storedIn(t);
  await assert.rejects(open(at(server.url), { signIns }), {
    message: /^the server answered with status 401\. .* Run: holdfast mcp login box$/,
  });
  const flow = await start(t, server.url, signIns);
  const page = await fetch(callbackOf(flow));
  assert.deepEqual(
    [page.status, await page.text()],
    [200, "Signed in. You can close this page.\n"],
  );
  await flow.done;
  const opened = await open(at(server.url), { signIns });
  assert.deepEqual(await call(opened, "any"), { status: "completed", output: "welcome" });
  server.expire();
  assert.deepEqual(await call(opened, "any"), { status: "completed", output: "welcome" });
  assert.deepEqual(server.grants, ["authorization_code", "refresh_token"]);
  server.tricks.refusesRefresh = true;
  server.expire();
  assert.match(
    (await call(opened, "any")).output,
    /the sign-in has ended\. Run: holdfast mcp login box$/,
  );
});

test("calls that find an expired token at the same moment share one refresh", async (t) => {
  const { open, call } = mcpBench(t);
  const server = await oauthServer(t);
  const signIns = storedIn(t);
  const flow = await start(t, server.url, signIns);
  await fetch(callbackOf(flow));
  await flow.done;
  const opened = [
    await open(at(server.url), { signIns }),
    await open(at(server.url), { signIns, name: "second" }),
  ];
  server.expire();
  const calls = await Promise.all(opened.flatMap((each) => [call(each, "any"), call(each, "any")]));
  assert.deepEqual(
    calls.map(({ output }) => output),
    Array.from(calls, () => "welcome"),
  );
  // A second use of one refresh token ends the sign-in at many servers.
  assert.deepEqual(server.grants, ["authorization_code", "refresh_token"]);
});

test("a call whose rejection arrives after the refresh by another call uses the new token", async (t) => {
  const { open, call } = mcpBench(t);
  const server = await oauthServer(t);
  const signIns = storedIn(t);
  const flow = await start(t, server.url, signIns);
  await fetch(callbackOf(flow));
  await flow.done;
  const opened = await open(at(server.url), { signIns });
  server.expire();
  const refreshed = Promise.withResolvers<void>();
  server.tricks.refusalDelay = refreshed.promise;
  const late = call(opened, "any");
  assert.equal((await call(opened, "any")).output, "welcome");
  refreshed.resolve();
  assert.equal((await late).output, "welcome");
  assert.deepEqual(server.grants, ["authorization_code", "refresh_token"]);
});

test("an answer with a wrong state is refused, and the sign-in still waits for the right one", async (t) => {
  const server = await oauthServer(t);
  const signIns = storedIn(t);
  const flow = await start(t, server.url, signIns);
  const callback = callbackOf(flow);
  for (const state of ["", "guess", `${callback.searchParams.get("state")}x`]) {
    const forged = new URL(callback);
    forged.searchParams.set("state", state);
    assert.equal((await fetch(forged)).status, 400);
    assert.equal(await flow.finish(forged.href), "wrong state");
  }
  assert.deepEqual(server.grants, []);
  assert.equal(await flow.finish(callback.href), null);
  await flow.done;
  assert.equal(await flow.finish(callback.href), "this sign-in was already used");
});

test("an answer at another host, path or name of the loopback address is refused", async (t) => {
  const server = await oauthServer(t);
  const flow = await start(t, server.url, storedIn(t));
  const callback = callbackOf(flow);
  const { host, pathname } = callback;
  for (const [part, other] of [
    [host, "evil.example.org"],
    [host, "127.0.0.1:1"],
    [pathname, "/other"],
    ["http:", "https:"],
  ] as const) {
    const elsewhere = new URL(callback.href.replace(part, other));
    assert.match(
      (await flow.finish(elsewhere.href)) ?? "",
      /^the address must start with http:\/\/127/,
    );
  }
  const rebound = await statusWithHost(callback, "evil.example.org");
  assert.deepEqual([rebound, server.grants], [421, []]);
});

test("a code is not sent to another host if the token endpoint redirects there", async (t) => {
  const server = await oauthServer(t);
  const thief = await oauthServer(t);
  const flow = await start(t, server.url, storedIn(t));
  server.tricks.tokenRedirect = `${thief.origin}/token`;
  assert.match(
    (await flow.finish(callbackOf(flow).href)) ?? "",
    /redirects an OAuth request to another host/,
  );
  assert.deepEqual(thief.grants, []);
});

test("a sign-in page that a browser must not open is refused", async (t) => {
  const server = await oauthServer(t);
  for (const address of [
    "http://login.example.org/a",
    "javascript:alert(1)",
    "file:///etc/passwd",
  ]) {
    server.tricks.authorizationUrl = address;
    await assert.rejects(start(t, server.url, storedIn(t)));
  }
});

test("a token is sent only to the address that it was issued for, whatever the server's name", async (t) => {
  const { open } = mcpBench(t);
  const server = await oauthServer(t);
  const thief = await oauthServer(t);
  const signIns = storedIn(t);
  const flow = await start(t, server.url, signIns);
  assert.equal(await flow.finish(callbackOf(flow).href), null);
  await open(at(server.url), { name: "tickets", signIns });
  await assert.rejects(open(at(thief.url), { name: "tickets", signIns }));
  assert.ok(server.tokens.includes("Bearer access-1"));
  assert.ok(thief.tokens.every((token) => token === undefined));
});

function statusWithHost(url: URL, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", reject).end();
  });
}
