import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { openCli } from "./test-cli.ts";

test("quiet hours and muted sessions are set and shown on the command line", async (t) => {
  const cli = openCli(t);
  const holdfast = connect(await cli.serve());
  const { sessionId } = await holdfast.sessions.create({ directory: cli.folder, title: "Loud" });
  const first = await cli.run("notifications");
  assert.deepEqual([first.end, first.err], [0, ""]);
  const nothing = ["Quiet hours", "Muted sessions", "Devices with push messages"];
  assert.equal(first.out, nothing.map((name) => `${name}: none\n`).join(""));
  const set = await cli.run("notifications", "--quiet", "22:00-07:00", "--mute", sessionId);
  assert.match(set.out, /^Quiet hours: 22:00 to 07:00 \(.+\)\nMuted sessions:\n {2}\S+ {2}Loud\n/);
  const { quietHours, muted } = await holdfast.notifications.settings();
  assert.deepEqual([quietHours?.from, quietHours?.to, muted], ["22:00", "07:00", [sessionId]]);
  const json = await cli.run("notifications", "--quiet", "off", "--unmute", sessionId, "--json");
  assert.equal(json.err, "");
  assert.deepEqual(JSON.parse(json.out), { quietHours: null, muted: [], devices: [] });
  for (const hours of ["25:00-07:00", "07:00-07:00"]) {
    const wrong = await cli.run("notifications", "--quiet", hours);
    assert.equal(wrong.end, 2, hours);
    assert.match(wrong.err, /Write two times such as 22:00-07:00, or off/);
  }
});

test("--mute and --unmute refuse an unknown session, and --unmute accepts a muted one that was deleted", async (t) => {
  const cli = openCli(t);
  const holdfast = connect(await cli.serve());
  const { sessionId } = await holdfast.sessions.create({ directory: cli.folder });
  await holdfast.notifications.change({ mute: [sessionId] });
  for (const option of ["--mute", "--unmute"]) {
    const mistyped = await cli.run("notifications", option, "nosuch");
    assert.equal(mistyped.end, 1);
    assert.match(mistyped.err, /^holdfast: unknownSession: there is no session nosuch at /);
  }
  assert.deepEqual((await holdfast.notifications.settings()).muted, [sessionId]);
  await holdfast.session(sessionId).delete();
  const { out: list } = await cli.run("notifications");
  // The list prints the short id, so the option accepts the short id.
  const short = /Muted sessions:\n {2}(\w{8})$/m.exec(list)?.[1] ?? "";
  const unmuted = await cli.run("notifications", "--unmute", short);
  assert.deepEqual([unmuted.end, unmuted.err], [0, ""]);
  assert.match(unmuted.out, /^Muted sessions: none$/m);
});
