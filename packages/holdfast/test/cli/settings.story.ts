import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openEmbedded } from "./test-cli.ts";

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
  assert.deepEqual(tested, {
    end: 1,
    out: "",
    err: "holdfast: lab does not work: the provider cannot be reached\n",
  });
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
