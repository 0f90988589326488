import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openCli, openEmbedded } from "./test-cli.ts";

test("a run with --embedded while a server or another embedded run uses the store prints what to do", async (t) => {
  const cli = openEmbedded(t);
  const owner = cli.start("run", "stall");
  await owner.printed("kept in");
  const beside = await cli.run("run", "say hi");
  const shared = openCli(t, { XDG_DATA_HOME: join(cli.folder, "data") });
  const started = await shared.run("run", "say hi");
  owner.process.kill("SIGINT");
  await owner.ended;
  const inUse = /another Holdfast process is using the database: a command with --embedded, /;
  assert.match(beside.err, new RegExp(`^holdfast: databaseInUse: ${inUse.source}`));
  assert.match(started.err, inUse);
  assert.doesNotMatch(started.err, /storeOwned/);
  const server = await cli.serve();
  const { end, err } = await cli.run("run", "say hi");
  assert.deepEqual(
    [end, err],
    [
      1,
      `holdfast: serverRunning: a server at ${server.url} is using this database; leave out --embedded to use the server, or stop it with: holdfast server stop\n`,
    ],
  );
});
