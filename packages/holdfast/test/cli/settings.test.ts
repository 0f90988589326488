import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { openCli } from "./test-cli.ts";
import type { Ended } from "./test-cli.ts";
import { noTerminal, plain, startAtTerminal } from "./terminal.ts";

function said({ end, out, err }: Ended): readonly [number | string, string] {
  return [end, out + err];
}

test("a key is read from stdin or a variable, stored for its owner only, and never printed", async (t) => {
  const key = "sk-cli-8d1f60b2c94e7a35";
  const cli = openCli(t, { MY_KEY: key });
  const connected = await cli.feed(`${key}\n`, "connect", "anthropic");
  assert.match(connected.out, /^connected anthropic;/);
  const [other, nothing, unset] = await Promise.all([
    cli.run("connect", "openai", "--key-env", "MY_KEY"),
    cli.feed("", "connect", "google"),
    cli.run("connect", "google", "--key-env", "NOT_SET"),
  ]);
  assert.equal(other.end, 0);
  assert.deepEqual([nothing.end, nothing.err.split(":")[1]], [2, " noKey"]);
  assert.match(unset.err, /NOT_SET is not set/);
  const listed = await cli.run("providers");
  assert.match(
    listed.out,
    /^PROVIDER .*\nanthropic .* …7a35 from `holdfast connect`.*\nopenai .*\n/,
  );
  const file = join(cli.folder, "data", "holdfast", "credentials.json");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const gone = await cli.run("disconnect", "anthropic");
  assert.deepEqual(said(gone), [0, "disconnected anthropic\n"]);
  const after = await cli.run("providers", "--json");
  assert.deepEqual(
    JSON.parse(after.out).items.map(({ name, status }: { name: string; status: string }) => [
      name,
      status,
    ]),
    [
      ["anthropic", "disconnected"],
      ["openai", "connected"],
    ],
  );
  const all = [connected, other, nothing, unset, listed, gone, after];
  assert.ok(all.every(({ out, err }) => !(out + err).includes(key)));
  assert.ok(!readFileSync(file, "utf8").includes("[secret]"));
});

test(
  "M2 M5 reload lists the runs that it waits for, and can be left, waited for and forced",
  { skip: noTerminal },
  async (t) => {
    const cli = openCli(t);
    const { folder } = cli;
    const [needsServer, server] = await Promise.all([
      cli.run("server", "reload", "--embedded"),
      cli.serve(),
    ]);
    assert.deepEqual([needsServer.end, needsServer.err.split(":")[1]], [1, " noServer"]);
    assert.deepEqual(
      await Promise.all([
        cli.run("server", "reload", "--all"),
        cli.run("server", "close", "--all"),
      ]),
      ["the next run in a directory loads its current config", "there is nothing to close"].map(
        (rest) => ({ end: 0, out: `the server has no directory open; ${rest}\n`, err: "" }),
      ),
    );
    const holdfast = connect({ url: server.url, token: server.token });
    const session = await holdfast.sessions.create({
      sessionId: "s",
      directory: folder,
      title: "Work",
    });
    const prompt = await session.prompt("stall");
    for await (const { type } of prompt.events()) if (type === "step.opened") break;
    const { runId } = await session.get();
    writeFileSync(
      join(folder, "holdfast.jsonc"),
      '{ "agents": { "other": { "prompt": "Be it" } } }',
    );
    const names = `waiting for 1 run… it keeps the old config until it ends\n  session s  run ${runId?.slice(4, 12)}  “Work”\n`;

    const script = await cli.run("server", "reload");
    const [, actionId = ""] = /holdfast server maintenance ([0-9a-f]{8})/.exec(script.out) ?? [];
    assert.equal(script.out.startsWith(`reloaded ${folder}\n${names}`), true, script.out);

    const place = { folder, environment: { XDG_DATA_HOME: join(folder, "data") } };
    const left = startAtTerminal("server close", place);
    await left.printed("f and Enter cancels these runs, Ctrl-C stops waiting: ");
    left.process.stdin?.write("\u0003");
    const leaving = await left.ended;
    assert.equal(leaving.end, 130);
    assert.match(
      plain(leaving.out),
      /closing .*\nwaiting for 1 run….*\n.*\n.*\nstopped waiting; the action continues/,
    );
    assert.equal((await session.get()).runId, runId);

    const forcing = startAtTerminal(`server maintenance ${actionId} --wait`, place);
    await forcing.printed("stops waiting: ");
    forcing.process.stdin?.write("f\n");
    const forced = await forcing.ended;
    assert.equal(forced.end, 0, forced.out);
    assert.match(plain(forced.out), /done: the old config is no longer in use/);
    assert.doesNotMatch(plain(forced.out), /waiting for 0 runs/);
    assert.equal((await prompt.settled()).reason, "force");
    for await (const action of holdfast.maintenance.each()) {
      assert.equal((await holdfast.maintenance.ended(action.actionId)).status, "completed");
    }
    const [shown] = await Promise.all([
      cli.run("server", "maintenance", actionId),
      session.prompt("say hi", { agent: "other", promptId: "named" }),
    ]);
    assert.equal((await session.promptById("named").get()).agent, "other");
    assert.match(shown.out, /completed {2}refresh .*, forced {2}owner\/cli/);
  },
);
