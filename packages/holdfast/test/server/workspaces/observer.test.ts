import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { openWorkspaceServer } from "./workspace-server.ts";

test("an observer starts no process, and sees what others have loaded", async (t) => {
  const fixture = await openWorkspaceServer(t);
  const { testServer, holdfast } = fixture;
  const directory = fixture.folder("shop");
  await fixture.trust(directory, { mcp: { notes: fixture.notes() } });
  const { secret } = await testServer.token("observe");
  const observer = connect({ url: testServer.url, token: secret });
  const unknown = {
    directory,
    generation: null,
    retired: [],
    notices: [
      {
        severity: "warning",
        file: null,
        line: null,
        column: null,
        key: null,
        message:
          "this directory is not loaded; the next run loads it, or a request with the role propose, prompt or admin",
      },
    ],
    problem: null,
    model: null,
    demo: false,
    agent: null,
    agents: [],
    commands: [],
    tools: [],
    mcp: [],
  };
  const closed = await holdfast.maintenance.close([directory]);
  assert.equal(closed.status, "completed");
  const before = fixture.pids();
  assert.deepEqual(await observer.workspaces.get(directory), unknown);
  assert.deepEqual(await observer.mcp.list(directory), []);
  assert.deepEqual(await holdfast.workspaces.list(), []);
  assert.deepEqual(fixture.pids(), before);

  const { secret: prompter } = await testServer.token("prompt");
  const loaded = await connect({ url: testServer.url, token: prompter }).workspaces.get(directory);
  assert.deepEqual(
    loaded.mcp.map(({ name, status }) => [name, status]),
    [["notes", "connected"]],
  );
  assert.deepEqual(await observer.workspaces.get(directory), loaded);
  assert.deepEqual(await observer.mcp.list(directory), loaded.mcp);

  // An edit applies to the next run: an observer's request does not load it.
  const started = fixture.pids();
  fixture.configure(directory, { mcp: { notes: fixture.notes(), more: fixture.notes() } });
  const { powers } = await holdfast.config.get({ directory });
  assert.equal(powers?.trusted, false);
  assert.deepEqual((await observer.workspaces.get(directory)).generation, loaded.generation);
  assert.deepEqual(fixture.pids(), started);
});
