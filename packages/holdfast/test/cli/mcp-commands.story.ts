import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { oauthServer } from "../agent/mcp/servers/oauth.ts";
import { program } from "../support/program.ts";
import { openCli } from "./test-cli.ts";

test("mcp login signs in with a browser, and mcp serve offers sessions to another agent", async (t) => {
  const guarded = await oauthServer(t);
  const cli = openCli(t);
  const { folder } = cli;
  const config = { mcp: { tickets: { url: guarded.url } } };
  writeFileSync(join(folder, "holdfast.jsonc"), JSON.stringify(config));
  const trusted = await cli.run("trust", "--yes");
  assert.equal(trusted.end, 0, trusted.err);
  await cli.serve();

  await t.test("mcp login prints the address and waits for the browser", async () => {
    const before = await cli.run("mcp");
    assert.match(before.out, /Run: holdfast mcp login tickets/, before.err);
    const login = cli.start("mcp", "login", "tickets");
    const [address = ""] = await login.matched(/http\S+authorize\S+/);
    const query = new URL(address).searchParams;
    const callback = `${query.get("redirect_uri")}?code=c&state=${query.get("state")}`;
    assert.equal((await fetch(callback)).status, 200);
    const { end, out, err } = await login.ended;
    assert.deepEqual([end, /Signed in at tickets/.test(out)], [0, true], err);
    assert.ok(!`${out}${err}`.includes("access-1"));
    assert.match((await cli.run("mcp")).out, /tickets .*connected/);
    const left = await cli.run("mcp", "logout", "tickets");
    assert.deepEqual([left.end, left.out.trim()], [0, "signed out at tickets"], left.err);
    const restarted = await cli.run("mcp", "restart", "tickets");
    assert.equal(restarted.end, 1);
    assert.match(restarted.err, /Run: holdfast mcp login tickets/);
  });

  await t.test("mcp serve answers a client of the official SDK on stdin and stdout", async () => {
    const env = { ...process.env, XDG_DATA_HOME: join(folder, "data"), HOLDFAST_AGENT: "demo" };
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, "mcp", "serve"],
      cwd: folder,
      env: Object.fromEntries(
        Object.entries(env).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value]],
        ),
      ),
    });
    const client = new Client({ name: "another-agent", version: "1.0.0" });
    await client.connect(transport);
    try {
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name }) => name === "send_prompt"));
      const answer = await client.callTool({
        name: "send_prompt",
        arguments: { directory: folder, text: "say hello", wait: 20 },
      });
      assert.match(JSON.stringify(answer), /hello/);
    } finally {
      await client.close();
    }
  });

  await t.test(
    "after a trusted server cannot be started, mcp says so and not that it is ignored",
    async () => {
      const missing = { mcp: { missing: { command: ["/nonexistent/program"] } } };
      writeFileSync(join(folder, "holdfast.jsonc"), JSON.stringify(missing));
      assert.equal((await cli.run("trust", "--yes")).end, 1);
      const { end, err } = await cli.run("mcp");
      assert.equal(end, 1);
      assert.match(err, /^holdfast: failed: MCP server missing could not be opened: .*\n/);
      assert.match(
        err,
        /the previous config stays in use; to try again: holdfast server reload\n$/,
      );
      assert.doesNotMatch(err, /ignored until you trust/);
    },
  );

  await t.test("a second trust loads a config again that could not be loaded", async () => {
    const present = join(folder, "present");
    const good = join(import.meta.dirname, "../agent/mcp/servers/good.ts");
    const script = 'test -f "$0" && exec "$@"';
    const command = ["sh", "-c", script, present, process.execPath, good];
    const late = { mcp: { late: { command } } };
    writeFileSync(join(folder, "holdfast.jsonc"), JSON.stringify(late));
    assert.equal((await cli.run("trust", "--yes")).end, 1);
    const failed = await cli.run("trust", "--yes");
    assert.equal(failed.end, 1, failed.out);
    assert.match(failed.err, /MCP server late could not be opened/);
    writeFileSync(present, "");
    const loaded = await cli.run("trust", "--yes");
    assert.deepEqual([loaded.end, loaded.out], [0, `trusted ${folder}\n`], loaded.err);
    assert.match((await cli.run("mcp")).out, /late .*connected/);
    const same = await cli.run("trust", "--yes");
    assert.deepEqual([same.end, / is already trusted\n/.test(same.out)], [0, true], same.err);
  });

  await t.test("trust --forget removes the trust even if the config is broken", async () => {
    writeFileSync(join(folder, "holdfast.jsonc"), '{ "agent": 5 }');
    const { end, out, err } = await cli.run("trust", "--forget");
    // The exit code is 1, because the server still uses the config that it loaded before.
    assert.deepEqual([end, out], [1, `the config of ${folder} is no longer trusted\n`], err);
    assert.match(
      err,
      /^holdfast: problem: .*agent.*\n(?:.*\n)*the server uses the previous config /,
    );
    const trust = readFileSync(join(folder, "data", "holdfast", "trust.json"), "utf8");
    assert.ok(!trust.includes(folder), trust);
  });
});
