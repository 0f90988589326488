import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { McpServerConfig } from "../../src/agent/mcp/config.ts";
import { createMcpLogins } from "../../src/workspace/mcp-logins.ts";
import type { McpLogins, StartedLogin } from "../../src/workspace/mcp-logins.ts";
import { createCredentials } from "../../src/workspace/providers/credentials.ts";
import { oauthServer } from "../agent/mcp/servers/oauth.ts";
import { createHandClock } from "../support/hand-clock.ts";
import type { HandClock } from "../support/hand-clock.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

const minute = 60_000;

test("of two sign-ins to a server that start at the same time, only one stays open", async (t) => {
  const { logins, clock } = await open(t);
  const started = await Promise.all([start(logins), start(logins)]);
  const listening = await Promise.all(started.map(isListening));
  assert.equal(listening.filter((isOpen) => isOpen).length, 1);
  assert.equal(clock.pending(), 1);
});

test("a later sign-in keeps its 10 minutes, even if earlier ones started at the same time", async (t) => {
  const { logins, clock } = await open(t);
  await Promise.all([start(logins), start(logins)]);
  await clock.move(5 * minute);
  const later = await start(logins);
  await clock.move(9 * minute);
  assert.equal(await isListening(later), true);
  await clock.move(minute);
  assert.equal(await isListening(later), false);
});

test("a sign-in that is waited for ends without closing the one that replaced it", async (t) => {
  const { logins } = await open(t);
  await start(logins);
  const { signal } = new AbortController();
  const place = { directory: "/project", server: "tickets" };
  const first = logins.finish(place, { callbackUrl: null, signal });
  const second = await start(logins);
  assert.equal((await first)?.status, "failed");
  assert.equal(await isListening(second), true);
});

test("a sign-in that is starting during the close is closed as well", async (t) => {
  const arrived = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const { logins, clock } = await open(t, async () => {
    arrived.resolve();
    await gate.promise;
  });
  const starting = assert.rejects(start(logins), { name: "AbortError" });
  await arrived.promise;
  await logins.close();
  gate.resolve();
  await starting;
  assert.equal(clock.pending(), 0);
});

/** Opens sign-ins to one server. `onRead` is awaited when the stored sign-in is read. */
async function open(
  t: TestContext,
  onRead: () => Promise<void> = async () => {},
): Promise<{ logins: McpLogins; clock: HandClock }> {
  const { url } = await oauthServer(t);
  const config: McpServerConfig = { type: "http", url, headers: {}, timeout: null };
  const { serverSignIns } = createCredentials(`${scratchFolder(t, "logins")}/credentials.json`);
  const clock = createHandClock();
  const logins = createMcpLogins({
    signIns: {
      ...serverSignIns,
      read: async (key) => {
        await onRead();
        return serverSignIns.read(key);
      },
    },
    servers: async () => new Map([["tickets", config]]),
    clock,
  });
  t.after(() => logins.close());
  return { logins, clock };
}

async function start(logins: McpLogins): Promise<StartedLogin> {
  const started = await logins.start("/project", "tickets");
  assert.ok(started !== null);
  return started;
}

/** True if the sign-in still waits for the redirect of the browser. */
async function isListening({ redirectUrl }: StartedLogin): Promise<boolean> {
  return fetch(redirectUrl).then(
    () => true,
    () => false,
  );
}
