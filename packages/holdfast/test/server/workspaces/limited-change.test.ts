import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { localSecurity } from "../../../src/server/local-security.ts";
import type { Configs, EditorServers, Providers } from "../../../src/server/workspace-ports.ts";
import { openTestServer } from "../api/test-server.ts";

test("a token limited to some directories is refused changes that affect others", async (t) => {
  const own = localSecurity();
  const request = new Request("http://localhost");
  const whole = await own.authenticate(request, { address: null });
  const principal = { ...whole, directories: [realpathSync(tmpdir())] };
  const security = { ...own, authenticate: () => Promise.resolve(principal) };
  const { ask, place } = await openTestServer(t, {
    security,
    providers: never,
    configs: never,
    editorServers: never,
  });
  const { maintenance } = place.first.holdfast;
  const directories = ["/", tmpdir()];
  await maintenance.request({ kind: "close", directories, actionId: "both" });
  await maintenance.request({ kind: "close", directories: ["/"], actionId: "others" });
  const cases: readonly (readonly [string, string, unknown, string])[] = [
    ["POST", "/v1/maintenance/both/force", undefined, "forbidden"],
    ["POST", "/v1/maintenance/others/force", undefined, "unknownAction"],
    ["POST", "/v1/maintenance", { kind: "refresh", directories: null }, "forbidden"],
    ["POST", "/v1/maintenance", { kind: "refresh", directories }, "forbidden"],
    ["POST", "/v1/providers/anthropic/connect", { key: "k" }, "forbidden"],
    ["PATCH", "/v1/providers/anthropic", { key: "k" }, "forbidden"],
    ["POST", "/v1/providers/copilot/sign-in", undefined, "forbidden"],
    ["POST", "/v1/providers/copilot/sign-in/wait", undefined, "forbidden"],
    ["POST", "/v1/providers/anthropic/disconnect", undefined, "forbidden"],
    ["POST", "/v1/providers/anthropic/test", undefined, "forbidden"],
    ["POST", "/v1/sessions/s/providers", { providers: [] }, "forbidden"],
    ["GET", "/v1/models", undefined, "forbidden"],
    ["GET", "/v1/models?directory=/", undefined, "forbidden"],
    ["GET", "/v1/config?scope=user", undefined, "forbidden"],
    ["GET", "/v1/config?directory=/", undefined, "forbidden"],
    ["PATCH", "/v1/config", { scope: "user", text: "{}", digest: null }, "forbidden"],
    [
      "POST",
      "/v1/mcp/editor-servers",
      { directory: "/", client: "zed", servers: [], consents: [] },
      "forbidden",
    ],
    ["POST", "/v1/config/trust", { directory: "/", digest: null }, "forbidden"],
  ];
  for (const [method, path, body, code] of cases) {
    const answer = await ask(method, path, body === undefined ? {} : { body });
    assert.equal(answer.code, code, `${method} ${path}: ${answer.text}`);
  }
});

/** Fails if a request gets this far. */
const never: Providers & Configs & EditorServers = {
  list: () => assert.fail(),
  models: () => assert.fail(),
  connect: () => assert.fail(),
  change: () => assert.fail(),
  offer: () => assert.fail(),
  disconnect: () => assert.fail(),
  test: () => assert.fail(),
  signIns: { start: () => assert.fail(), wait: () => assert.fail() },
  read: () => assert.fail(),
  save: () => assert.fail(),
  trust: () => assert.fail(),
};
