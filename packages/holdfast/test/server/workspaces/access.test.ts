import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { openTestServer } from "../security/test-server.ts";

test("a token limited to some directories sees only their workspaces", async (t) => {
  const testServer = await openTestServer(t);
  const { url, owner, folder } = testServer;
  const [a, b] = [join(folder, "a"), join(folder, "b")];
  const all = connect({ url, token: owner });
  const limited = connect({ url, token: (await testServer.token("observe", [a])).secret });
  await all.workspaces.get(a);
  await all.workspaces.get(b);
  await testServer.session("in-b", "b");
  const prompt = await all.session("in-b").prompt("stall");
  for await (const { type } of prompt.events()) if (type === "step.opened") break;

  const both = await all.maintenance.close([a, b], { actionId: "both" });
  const own = await all.maintenance.refresh([a], { actionId: "own" });
  const others = await all.maintenance.close([b], { actionId: "others" });
  assert.deepEqual(
    [both, own, others].map(({ status }) => status),
    ["deferred", "completed", "deferred"],
  );
  assert.deepEqual(
    (await limited.workspaces.list()).map(({ directory }) => directory),
    [],
  );
  assert.deepEqual(
    (await limited.maintenance.list()).items.map(({ actionId }) => actionId),
    ["own", "both"],
  );
  const seen = await limited.maintenance.get("both");
  assert.deepEqual(
    { directories: seen.directories, affected: seen.affectedDirectories, waits: seen.waitingFor },
    { directories: [a], affected: [a], waits: [] },
  );
  const { maintenance, providers, mcp, workspaces } = limited;
  const refused: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["unknownAction", () => maintenance.get("others")],
    ["forbidden", () => maintenance.list({ directory: b })],
    ["forbidden", () => workspaces.get(b)],
    ["forbidden", () => mcp.list(b)],
    ["forbidden", () => providers.list()],
    ["forbidden", () => maintenance.refresh([a])],
  ];
  for (const [code, call] of refused) await assert.rejects(call, { code }, call.toString());
  await all.workspaces.get(a);
  assert.equal((await workspaces.get(a)).directory, a);
  assert.deepEqual(
    (await workspaces.list()).map(({ directory }) => directory),
    [a],
  );
  const metrics = await testServer.ask("GET", "/metrics", { token: owner });
  const counted = [...metrics.text.matchAll(/^holdfast_(?:generation|maintenance)\S* \d+$/gm)];
  assert.deepEqual(
    counted.map(([line]) => line),
    [
      'holdfast_generations{state="current"} 1',
      'holdfast_generations{state="retired"} 1',
      "holdfast_generation_pins 1",
      'holdfast_maintenance_total{kind="refresh",status="completed"} 1',
      "holdfast_maintenance_open 2",
    ],
  );
  await prompt.withdraw();
});

test("invalid requests are refused with a reason and change nothing", async (t) => {
  const { url, owner, folder, ask } = await openTestServer(t);
  const directory = join(folder, "a");
  const holdfast = connect({ url, token: owner });
  const long = "x".repeat(5000);
  const offer = { directory, client: "zed", servers: [], consents: [] };
  const badServer = { name: "s", command: "x", args: [], env: { "A=B": "1" } };
  const cases: readonly (readonly [string, string, unknown, string])[] = [
    ["GET", "/v1/workspace", undefined, "invalid"],
    ["GET", "/v1/workspace?directory=relative", undefined, "invalid"],
    ["GET", "/v1/workspace?directory=/not/there", undefined, "invalid"],
    ["GET", "/v1/mcp", undefined, "invalid"],
    ["GET", "/v1/maintenance?status=open", undefined, "invalid"],
    ["GET", "/v1/maintenance?after=x", undefined, "badCursor"],
    ["GET", "/v1/maintenance/none", undefined, "unknownAction"],
    ["GET", "/v1/maintenance/none?wait=x", undefined, "invalid"],
    ["POST", "/v1/maintenance/none/force", undefined, "unknownAction"],
    ["POST", "/v1/maintenance", undefined, "invalid"],
    ["POST", "/v1/maintenance", { kind: "refresh" }, "invalid"],
    ["POST", "/v1/maintenance", { kind: "reload", directories: null }, "invalid"],
    ["POST", "/v1/maintenance", { kind: "close", directories: [] }, "invalid"],
    ["POST", "/v1/maintenance", { kind: "close", directories: ["/not/there"] }, "invalid"],
    ["POST", "/v1/maintenance", { kind: "close", directories: null, mode: "soon" }, "invalid"],
    ["POST", "/v1/maintenance", { kind: "close", directories: null, actionId: "a b" }, "invalid"],
    [
      "POST",
      "/v1/maintenance",
      { kind: "close", directories: null, actionId: "x".repeat(101) },
      "invalid",
    ],
    ["POST", "/v1/maintenance", { kind: "close", directories: null, more: 1 }, "invalid"],
    ["POST", "/v1/providers/nobody/connect", { key: "sk-0123456789abcdef" }, "invalid"],
    ["POST", "/v1/providers/anthropic/connect", undefined, "invalid"],
    ["POST", "/v1/providers/anthropic/connect", { key: "a\nb" }, "invalid"],
    ["POST", "/v1/providers/anthropic/connect", { key: long }, "invalid"],
    [
      "POST",
      "/v1/providers/anthropic/connect",
      { key: "k", baseUrl: "file:///etc/passwd" },
      "invalid",
    ],
    ["POST", "/v1/providers/anthropic/connect", { key: "k", protocol: "soap" }, "invalid"],
    ["POST", "/v1/providers/a..b/connect", { key: "k", baseUrl: "http://127.0.0.1:9" }, "invalid"],
    ["PATCH", "/v1/providers/nobody", { defaultModel: "x" }, "unknownProvider"],
    ["PATCH", "/v1/providers/nobody", { baseUrl: "file:///etc/passwd" }, "invalid"],
    ["POST", "/v1/providers/nobody/disconnect", undefined, "unknownProvider"],
    ["POST", "/v1/providers/nobody/test", undefined, "unknownProvider"],
    ["POST", "/v1/mcp/notes/restart", undefined, "invalid"],
    ["POST", "/v1/mcp/notes/restart", { directory }, "unknownServer"],
    ["POST", "/v1/mcp/editor-servers", { directory }, "invalid"],
    ["POST", "/v1/mcp/editor-servers", { ...offer, client: "" }, "invalid"],
    ["POST", "/v1/mcp/editor-servers", { ...offer, servers: [badServer] }, "invalid"],
    ["GET", "/v1/config", undefined, "invalid"],
    ["GET", "/v1/config?scope=system", undefined, "invalid"],
    ["PATCH", "/v1/config", { directory, text: "{}" }, "invalid"],
    ["PATCH", "/v1/config", { text: "{}", digest: null }, "invalid"],
    ["PATCH", "/v1/config", { directory, text: "{}", digest: "another" }, "staleRevision"],
    ["PATCH", "/v1/config", { directory, text: "{ nothing", digest: null }, "badConfig"],
    ["PATCH", "/v1/config", { directory, text: '{ "model": 5 }', digest: null }, "badConfig"],
    ["POST", "/v1/config/trust", { directory }, "invalid"],
    ["POST", "/v1/config/trust", { directory, digest: "another" }, "staleRevision"],
  ];
  for (const [method, path, body, code] of cases) {
    const request = body === undefined ? { token: owner } : { token: owner, body };
    const answer = await ask(method, path, request);
    assert.equal(answer.code, code, `${method} ${path} ${JSON.stringify(body)}: ${answer.text}`);
  }
  assert.deepEqual(
    {
      actions: (await holdfast.maintenance.list()).items,
      providers: (await holdfast.providers.list()).items,
      config: (await holdfast.config.get({ directory })).text,
    },
    { actions: [], providers: [], config: null },
  );
  const schema = await ask("GET", "/config.schema.json");
  assert.equal(schema.status, 200);
  assert.ok("properties" in JSON.parse(schema.text));
});

test("an untrusted config starts nothing; its privileged settings are listed, and apply once trusted", async (t) => {
  const { url, owner, folder } = await openTestServer(t);
  const holdfast = connect({ url, token: owner });
  const directory = join(folder, "a");
  const marker = join(folder, "started");
  const command = [process.execPath, "-e", `fs.writeFileSync(${JSON.stringify(marker)}, "")`];
  mkdirSync(join(directory, ".holdfast"));
  const config = { mcp: { evil: { type: "stdio", command } } };
  writeFileSync(join(directory, "holdfast.jsonc"), JSON.stringify(config));
  const before = await holdfast.workspaces.get(directory);
  assert.deepEqual(before.mcp, []);
  assert.ok(before.notices.some(({ message }) => message.includes("holdfast trust")));
  const { powers } = await holdfast.config.get({ directory });
  assert.deepEqual(
    [powers?.trusted, powers?.items.map(({ key, line }) => [key, line])],
    [false, [["mcp.evil", 1]]],
  );
  const answer = await holdfast.config.trust({ directory, digest: powers?.digest ?? null });
  // The configured command is not an MCP server: the previous state stays in use, with a problem.
  assert.equal(answer.status, "failed");
  const after = await holdfast.workspaces.get(directory);
  assert.deepEqual(after.generation, before.generation);
});
