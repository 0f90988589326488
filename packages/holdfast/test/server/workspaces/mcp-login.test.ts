import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Refused } from "@holdfast/sdk";
import { waitFor } from "../../support/wait-for.ts";
import { oauthServer } from "../../agent/mcp/servers/oauth.ts";
import { openWorkspaceServer } from "./workspace-server.ts";

test("a person signs in to an MCP server through the server, and its tokens stay on the machine", async (t) => {
  const fixture = await openWorkspaceServer(t);
  const { holdfast, testServer } = fixture;
  const guarded = await oauthServer(t);
  const directory = fixture.folder("shop");
  await fixture.trust(directory, { mcp: { tickets: { url: guarded.url } } });
  const [before] = await holdfast.mcp.list(directory);
  assert.match(before?.problem ?? "", /Run: holdfast mcp login tickets$/);
  assert.equal(before?.needsSignIn, true);

  const { authorizationUrl, redirectUrl } = await holdfast.mcp.login("tickets", { directory });
  const state = new URL(authorizationUrl ?? "").searchParams.get("state") ?? "";
  const elsewhere = `http://evil.example.org/callback?code=c&state=${state}`;
  const refused = await holdfast.mcp.finishLogin("tickets", { directory, callbackUrl: elsewhere });
  assert.equal(refused.status, "failed");
  const waiting = await holdfast.mcp.finishLogin("tickets", { directory });
  assert.deepEqual(waiting, { status: "waiting", problem: null });
  await fetch(`${redirectUrl}?code=c&state=${state}`);
  const done = await holdfast.mcp.finishLogin("tickets", { directory, wait: 10 });
  assert.deepEqual(done, { status: "signedIn", problem: null });
  await waitFor(async () => (await holdfast.mcp.list(directory))[0]?.status, {
    describe: "a connected server",
    until: (status) => status === "connected",
  });
  assert.equal((await holdfast.mcp.list(directory))[0]?.needsSignIn, false);
  const listed = JSON.stringify(await holdfast.mcp.list(directory));
  assert.ok(!listed.includes("access-1"));
  const stored = (): string =>
    readFileSync(join(testServer.folder, "data/credentials.json"), "utf8");
  assert.ok(stored().includes("access-1") && stored().includes("refresh-1"));
  const answer = await holdfast.mcp.logout("tickets", { directory });
  assert.deepEqual([answer.status, answer.problems], ["completed", []]);
  const [after] = await holdfast.mcp.list(directory);
  assert.deepEqual([after?.status, after?.needsSignIn], ["failed", true]);
  assert.ok(!stored().includes("access-1") && !stored().includes("refresh-1"));
});

test("an MCP server of an untrusted config cannot be signed in to", async (t) => {
  const fixture = await openWorkspaceServer(t);
  const { holdfast } = fixture;
  const guarded = await oauthServer(t);
  const directory = fixture.folder("shop");
  fixture.configure(directory, { mcp: { tickets: { url: guarded.url } } });
  await assert.rejects(
    holdfast.mcp.login("tickets", { directory }),
    (error) => error instanceof Refused && error.code === "unknownServer",
  );
  assert.deepEqual(guarded.tokens, []);
});
