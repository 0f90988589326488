import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { openTown } from "./town.ts";

test("who may only look starts no process by it, and sees what others have loaded", async (t) => {
  const town = await openTown(t);
  const { house, holdfast } = town;
  const directory = town.folder("shop");
  await town.trust(directory, { mcp: { notes: town.notes() } });
  const { secret } = await house.token("observe");
  const observer = connect({ url: house.url, token: secret });
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
          "nothing is loaded here; the next run loads it, or a look with the role prompt or admin",
      },
    ],
    problem: null,
    model: null,
    agent: null,
    agents: [],
    commands: [],
    tools: [],
    mcp: [],
  };
  const closed = await holdfast.maintenance.close([directory]);
  assert.equal(closed.status, "completed");
  const before = town.pids();
  assert.deepEqual(await observer.workspaces.get(directory), unknown);
  assert.deepEqual(await observer.mcp.list(directory), []);
  assert.deepEqual(await holdfast.workspaces.list(), []);
  assert.deepEqual(town.pids(), before);

  const { secret: prompter } = await house.token("prompt");
  const loaded = await connect({ url: house.url, token: prompter }).workspaces.get(directory);
  assert.deepEqual(
    loaded.mcp.map(({ name, status }) => [name, status]),
    [["notes", "connected"]],
  );
  assert.deepEqual(await observer.workspaces.get(directory), loaded);
  assert.deepEqual(await observer.mcp.list(directory), loaded.mcp);

  // An edit counts with the next run: a look does not load it.
  const started = town.pids();
  town.configure(directory, { mcp: { notes: town.notes(), more: town.notes() } });
  const { powers } = await holdfast.config.get({ directory });
  assert.equal(powers?.trusted, false);
  assert.deepEqual((await observer.workspaces.get(directory)).generation, loaded.generation);
  assert.deepEqual(town.pids(), started);
});
