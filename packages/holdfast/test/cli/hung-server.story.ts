import assert from "node:assert/strict";
import { test } from "node:test";
import { findServer, readDiscovery } from "../../src/server/discovery.ts";
import { openCli } from "./test-cli.ts";

test("serve on a store whose server hangs names the process to end", async (t) => {
  const cli = openCli(t);
  await cli.serve();
  const { pid } = readDiscovery(`${cli.store}.server.json`) ?? {};
  assert.ok(pid !== undefined);
  process.kill(pid, "SIGSTOP");
  const { end, err } = await cli.run("serve", "--port", "0");
  const problem = `the server (process ${pid}) does not answer; end it with \`kill -9 ${pid}\`, and try again`;
  assert.deepEqual([end, err], [1, `holdfast: serverRunning: ${problem}\n`]);
  process.kill(pid, "SIGCONT");
  assert.ok((await findServer(`${cli.store}.server.json`)) !== null);
});

test("run says soon that the server does not answer, and goes on when the server answers again", async (t) => {
  const cli = openCli(t);
  await cli.serve();
  const { pid } = readDiscovery(`${cli.store}.server.json`) ?? {};
  assert.ok(pid !== undefined);
  process.kill(pid, "SIGSTOP");
  const run = cli.start("run", "say hello");
  await run.printed(`the server (process ${pid}) does not answer; waiting up to 60 s\n`);
  process.kill(pid, "SIGCONT");
  const { end, out, err } = await run.ended;
  assert.deepEqual([end, out], [0, "[demo agent] hello\n"], err);
});
