import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { openCli, openEmbedded } from "./test-cli.ts";
import type { Ended } from "./test-cli.ts";
import { noTerminal, plain, startAtTerminal } from "./terminal.ts";

function said({ end, out, err }: Ended): readonly [number | string, string] {
  return [end, out + err];
}

test("without a server, a config is checked, trusted and shown with its agents and commands", async (t) => {
  const cli = openEmbedded(t, { XDG_CONFIG_HOME: "/nowhere" });
  const { folder } = cli;
  const file = join(folder, "holdfast.jsonc");
  const none = await cli.run("config", "--check");
  assert.deepEqual(none, { end: 0, out: `there is no ${file} yet\n`, err: "" });
  mkdirSync(join(folder, ".holdfast", "commands"), { recursive: true });
  writeFileSync(join(folder, ".holdfast", "commands", "fix.md"), "say $ARGUMENTS");
  const lab = '"lab": { "baseUrl": "http://127.0.0.1:1/v1" }';
  const hooks = '"settled": [{ "command": "true" }]';
  writeFileSync(file, `{ "agnet": "x", "hooks": { ${hooks} }, "providers": { ${lab} } }`);
  const [checked, shown, commands, unasked, providers] = await Promise.all([
    cli.run("config", "--check"),
    cli.run("config"),
    cli.run("commands"),
    cli.run("trust"),
    cli.run("providers"),
  ]);
  assert.match(providers.out, /^lab {2}.* need trust; run: holdfast trust\n/);
  assert.match(checked.out, /holdfast\.jsonc:1:\d+: warning: agnet: .*agent/);
  assert.match(checked.out, /warning: hooks\.settled.*`holdfast trust`/);
  assert.equal(shown.out, readFileSync(file, "utf8") + "\n");
  assert.match(shown.err, /to see and trust them: holdfast trust/);
  assert.match(commands.out, /^COMMAND .*\n\/fix {2}/);
  assert.deepEqual([unasked.end, unasked.err.split(":")[1]], [1, " notConfirmed"]);
  const run = await cli.run("run", "/fix hello there");
  assert.equal(run.out, "[demo agent] hello there\n");
  const [, session = ""] = /--session (\S+)/.exec(run.err) ?? [];
  const conversation = (await cli.run("show", session)).out;
  assert.match(conversation, /^agent demo\n\n> [0-9a-f]{8}, .* \(\/fix\)$/m);
  assert.match(run.err, /warning: agnet: .*\n.*warning: providers\.lab: .*\n.*warning: .*hooks/);
  const trusted = await cli.run("trust", "--yes");
  assert.match(trusted.out, /hooks\.settled.*\ntrusted /);
  const [known, tested] = await Promise.all([
    cli.run("providers"),
    cli.run("providers", "test", "lab"),
  ]);
  assert.match(known.out, /\nlab +connected {2}no key {2}http:\/\/127\.0\.0\.1:1\/v1\n/);
  assert.deepEqual(said(tested), [
    1,
    "holdfast: lab does not work: the provider cannot be reached\n",
  ]);
  writeFileSync(
    file,
    '{ "agents": { "other": { "description": "Another", "prompt": "Be it" } }, }',
  );
  const agents = await cli.run("agents");
  assert.match(
    agents.out,
    /^AGENT +DESCRIPTION\ndefault \(default\)\nother +Another\ndemo +Offline demo of a coding agent; needs no model\n$/,
  );
  writeFileSync(file, '{\n  "agent": 5,\n  "agnet": "x"\n}');
  const broken = await cli.run("config", "--check");
  assert.equal(broken.end, 1);
  assert.match(broken.out, /holdfast\.jsonc:2:\d+: error: agent: .*\n.*:3:\d+: warning: agnet: /);
  assert.match(broken.out, /\n1 error, 1 warning\. The previous config stays in use\.\n$/);
});

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
    await left.printed("stops waiting: ");
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
