import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { waitFor } from "../../support/wait-for.ts";
import type { Lifecycle, Security } from "../../../src/server/ports.ts";
import { localSecurity } from "../../../src/server/local-security.ts";
import { resources } from "../../runner/support/leaks.ts";
import { openTestServer } from "./test-server.ts";

test("a wait ends with the current entry after its time, and never later than the limit", async (t) => {
  const { ask } = await openTestServer(t, { maxWait: 0.05 });
  const body = { promptId: "a", text: "hello" };
  const sent = await ask("POST", "/v1/sessions/main/prompts?wait=3600", { body });
  assert.deepEqual([sent.status, sent.json.status === "settled"], [202, false]);
  const got = await ask("GET", "/v1/sessions/main/prompts/a?wait=3600");
  assert.deepEqual([got.status, got.json.outcome], [200, null]);
});

test("a wait ends when the server closes, the token is revoked or the client disconnects", async (t) => {
  const closing = new AbortController();
  const revoked = new AbortController();
  const lifecycle: Lifecycle = {
    state: () => "ready",
    stop: () => 0,
    drainingUntil: () => null,
    closing: closing.signal,
    retryAfter: () => 1,
    prove: () => null,
  };
  const local = localSecurity();
  const security: Security = {
    ...local,
    authenticate: async (request, source) => ({
      ...(await local.authenticate(request, source)),
      revoked: revoked.signal,
    }),
  };
  const { place, ask, askSocket } = await openTestServer(t, { lifecycle, security });
  await place.prompt("a");
  await place.puppets.next();
  const before = resources();
  const gone = new AbortController();
  const left = assert.rejects(
    askSocket("GET", "/v1/sessions/main/prompts/a?wait=60", { signal: gone.signal }),
  );
  const inProcess = new AbortController();
  const aborted = ask("GET", "/v1/sessions/main/prompts/a?wait=60", { signal: inProcess.signal });
  const first = ask("GET", "/v1/sessions/main/prompts/a?wait=60");
  // The answer shows that the other requests have arrived.
  await askSocket("GET", "/v1/sessions/main/prompts/a");
  gone.abort();
  await left;
  inProcess.abort();
  assert.equal((await aborted).json.status, "running");
  revoked.abort();
  assert.equal((await first).json.status, "running");
  closing.abort();
  assert.equal((await ask("GET", "/v1/sessions/main/prompts/a?wait=60")).json.status, "running");
  const until = (now: typeof before): boolean => isDeepStrictEqual(now, before);
  await waitFor(resources, { describe: `the resources ${JSON.stringify(before)}`, until });
});
