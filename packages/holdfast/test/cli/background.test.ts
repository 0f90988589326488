import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { announce, findServer, readDiscovery } from "../../src/server/discovery.ts";
import { kill, serversIn } from "../support/end-servers.ts";
import { waitFor } from "../support/wait-for.ts";
import { openCli } from "./test-cli.ts";

test("commands that start at the same moment share one background server", async (t) => {
  const cli = openCli(t);
  const runs = Array.from({ length: 6 }, (_, n) => cli.run("run", `say hello ${n}`));
  const ended = await Promise.all(runs);
  assert.deepEqual(
    ended.map(({ end, out }) => [end, out]),
    ended.map((_, n) => [0, `[demo agent] hello ${n}\n`]),
  );
  const servers = serversIn(cli.folder);
  assert.equal(servers.length, 1);
  const log = readFileSync(`${cli.store}.server.log`, "utf8");
  assert.equal(log.match(/the server is ready/g)?.length, 1, log);
  assert.doesNotMatch(log, /serverRunning/);
  assert.deepEqual(
    [statSync(`${cli.store}.server.log`).mode & 0o777, statSync(dirname(cli.store)).mode & 0o777],
    [0o600, 0o700],
  );

  // Other commands find it and do not start another one.
  const [status, sessions, link] = await Promise.all([
    cli.run("server", "status", "--json"),
    cli.run("sessions", "--json"),
    cli.run("link"),
  ]);
  assert.equal(JSON.parse(status.out).state, "ready");
  assert.equal(sessions.out.trimEnd().split("\n").length, 6);
  assert.match(link.out, /^http:\/\/127\.0\.0\.1:/);
  assert.equal((await cli.run("server", "stop")).end, 0);
  await waitFor(() => serversIn(cli.folder).length === 0, { describe: "the server's end" });
  assert.match(
    (await cli.run("server", "status")).err,
    /^holdfast: noServer: no server is running/,
  );
});

test("R1 a killed background server is started again by the command that waits for it", async (t) => {
  const cli = openCli(t);
  const run = cli.start("run", "say begun; append a.txt one; wait 2s; append a.txt two");
  await run.printed("✓ append");
  const [pid] = serversIn(cli.folder);
  assert.ok(pid !== undefined);
  process.kill(pid, "SIGKILL");
  const { end, err } = await run.ended;
  assert.equal(end, 0, err);
  // If no request fails before the next server runs, the command does not say that the server was unreachable.
  assert.match(err, /the run was cut off; attempt 2 continues it\n[^]*\ncompleted\n/);
  const lines = readFileSync(join(cli.folder, "a.txt"), "utf8").replaceAll(/ \[call-\w+\]/g, "");
  assert.equal(lines, "one\ntwo\n");
  assert.notDeepEqual(serversIn(cli.folder), [pid]);
});

test("a server that was stopped is not started again by a command that waits for it", async (t) => {
  const cli = openCli(t);
  const run = cli.start("run", "--patience", "300ms", "say begun; stall");
  await run.printed("begun");
  const [pid] = serversIn(cli.folder);
  assert.ok(pid !== undefined);
  const hasEnded = (): boolean => {
    if (serversIn(cli.folder).length === 0) return true;
    kill(pid, "SIGTERM");
    return false;
  };
  await waitFor(hasEnded, { describe: "the server's end" });
  assert.equal((await run.ended).end, 3);
  assert.deepEqual(serversIn(cli.folder), []);
});

test("an idle background server stops by itself; its next client starts another one", async (t) => {
  const cli = openCli(t);
  const server = cli.start("serve", "--port", "0", "--stop-when-idle", "200ms");
  await server.printed("listening");
  const file = `${cli.store}.server.json`;
  assert.equal(readDiscovery(file)?.isBackground, true);
  const { end, err } = await server.ended;
  assert.equal(end, 0, err);
  assert.match(err, /stopping, because no client has used the server for 0\.2 s\n/);
  assert.equal(await findServer(file), null);
  assert.deepEqual((await cli.run("run", "say next")).out, "[demo agent] next\n");
});

test("a server of another user is neither joined nor started", async (t) => {
  const cli = openCli(t);
  const folder = dirname(cli.store);
  mkdirSync(folder, { recursive: true });
  const file = `${cli.store}.server.json`;
  // A file that others can write: the server in it gets no request.
  const planted = { url: "http://127.0.0.1:9", pid: 1, startedAt: 0, secret: "s" };
  await announce(file, { ...planted, isBackground: true });
  chmodSync(file, 0o666);
  assert.equal((await cli.run("run", "say hi")).out, "[demo agent] hi\n");

  const other = openCli(t);
  mkdirSync(join(other.folder, "data"));
  const open = join(other.folder, "open");
  mkdirSync(open);
  chmodSync(open, 0o777);
  symlinkSync(open, dirname(other.store));
  const { end, err } = await other.run("run", "say hi");
  assert.equal(end, 1);
  assert.match(
    err,
    /^holdfast: unsafeFile: other users can write to the folder .*; run: chmod 700/,
  );
  assert.ok(!existsSync(other.store));
});
