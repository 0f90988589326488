import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { findSession } from "../../src/cli/ids.ts";
import { openCli } from "./test-cli.ts";

test("a session is renamed, archived, forked, exported, imported and deleted", async (t) => {
  const cli = openCli(t);
  const holdfast = connect(await cli.serve());
  const { err } = await cli.run("run", "say first");
  const [, id = ""] = /session (\S+) \(new\)/.exec(err) ?? [];
  const renamed = await cli.run("sessions", "rename", "a better name", id);
  assert.equal(renamed.out, `session ${id} was renamed to “a better name”\n`);
  await cli.run("sessions", "archive", id);
  const [archived, others, forked] = await Promise.all([
    cli.run("sessions", "--archived"),
    cli.run("sessions"),
    cli.run("sessions", "fork", id, "--new-id", "forked"),
    cli.run("export", id, "--output", "session.json"),
  ]);
  assert.match(archived.out, new RegExp(`\n${id} .*, archived +a better name .*\n$`));
  assert.ok(!others.out.includes(id));
  assert.match(forked.out, /^session forked \(new\)\n/);
  const [shown, imported, broken, kept] = await Promise.all([
    cli.run("show", "forked"),
    cli.run("import", "session.json", "--session", "imported", "--json"),
    cli.feed("{}", "import", "-"),
    cli.run("sessions", "delete", id),
  ]);
  assert.match(
    shown.out,
    /\nsay first\n\n\[demo agent\] first\n\n⋯ messages above are from another session\n$/,
  );
  assert.equal(JSON.parse(imported.out).title, "a better name");
  assert.deepEqual([broken.end, broken.out], [1, ""]);
  assert.deepEqual([kept.end, kept.err.split(":")[1]], [1, " notConfirmed"]);
  const whole = await findSession(holdfast, id);
  const deleted = await cli.run("sessions", "delete", id, "--yes");
  assert.deepEqual([deleted.end, (await holdfast.session(whole).get()).status], [0, "deleted"]);
});
