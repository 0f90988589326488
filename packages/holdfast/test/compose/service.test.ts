import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { launchdAgent, marker, systemdUnit } from "../../src/compose/service/unit-text.ts";
import { installService, uninstallService } from "../../src/compose/service/service.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

const command = {
  node: "/opt/my node/bin/node",
  program: '/srv/a "b" 100% $HOME/holdfast.js',
  dataFolder: "/srv/data & more",
  path: "/usr/bin:/opt/my tools/bin",
  log: "/srv/data & more/service.log",
};

/** A home with spaces in its path, and a systemctl that writes down its arguments. */
function openHome(t: { after(work: () => void): void }, systemctl = "exit 0") {
  const home = join(scratchFolder(t, "service"), "my home");
  const programs = join(home, "bin");
  const calls = join(home, "calls");
  mkdirSync(programs, { recursive: true });
  const file = join(programs, "systemctl");
  writeFileSync(file, `#!/bin/sh\necho "$*" >> "${calls}"\n${systemctl}\n`);
  chmodSync(file, 0o755);
  const environment = { PATH: `${programs}:${process.env["PATH"]}`, SECRET_API_KEY: "sk-secret" };
  const place = { environment, home, platform: "linux" as const };
  return { place, unit: join(home, ".config/systemd/user/holdfast.service"), calls };
}

test("paths with spaces, quotes, % and $ are quoted in a systemd unit", (t) => {
  const text = systemdUnit(command);
  const words =
    '"/opt/my node/bin/node" "/srv/a \\"b\\" 100%% $$HOME/holdfast.js" "serve" "--data" "/srv/data & more"';
  assert.ok(text.includes(`\nExecStart=${words}\n`), text);
  assert.ok(text.includes('\nEnvironment="PATH=/usr/bin:/opt/my tools/bin"\n'));
  const folder = scratchFolder(t, "unit");
  const file = join(folder, "holdfast.service");
  // systemd checks that the program exists.
  writeFileSync(file, systemdUnit({ ...command, node: process.execPath }));
  const { status, error, stderr } = spawnSync("systemd-analyze", ["verify", "--user", file], {
    encoding: "utf8",
    env: { ...process.env, XDG_RUNTIME_DIR: folder },
  });
  if (error === undefined) assert.ok(!/Failed to parse|Unknown|ignoring/i.test(stderr), stderr);
  else t.diagnostic(`systemd-analyze is not installed (${status})`);
});

test("a launchd agent has each word in its own escaped string", () => {
  const text = launchdAgent(command);
  assert.ok(text.includes("    <string>/srv/data &amp; more</string>\n"), text);
  assert.ok(text.includes("    <string>/opt/my node/bin/node</string>\n"));
  assert.match(text, /<key>RunAtLoad<\/key>\n {2}<true\/>/);
  assert.ok(text.includes(marker));
});

test("install writes the unit for its owner and enables it; uninstall removes both", async (t) => {
  const { place, unit, calls } = openHome(t);
  assert.equal(await uninstallService(place), null);
  assert.deepEqual(await installService(place, { isStarted: true }), { file: unit, left: [] });
  const text = readFileSync(unit, "utf8");
  assert.ok(text.includes(`"--data" "${place.home}/.local/share/holdfast"`), text);
  assert.ok(!text.includes("sk-secret"), "keys are not written");
  assert.equal(statSync(unit).mode & 0o777, 0o600);
  await installService(place, { isStarted: false });
  assert.deepEqual(await uninstallService(place), { file: unit, left: [] });
  assert.equal(existsSync(unit), false);
  assert.deepEqual(readFileSync(calls, "utf8").trimEnd().split("\n"), [
    "--user daemon-reload",
    "--user enable --now holdfast.service",
    "--user daemon-reload",
    "--user enable holdfast.service",
    "--user disable --now holdfast.service",
    "--user daemon-reload",
  ]);
});

test("a failing systemctl is reported, and a unit of somebody else is left alone", async (t) => {
  const { place, unit } = openHome(t, "echo 'Failed to connect to bus' >&2; exit 1");
  const { left } = await installService(place, { isStarted: true });
  assert.deepEqual(left[1], {
    command: "systemctl --user enable --now holdfast.service",
    problem: "Failed to connect to bus",
  });
  writeFileSync(unit, "[Service]\nExecStart=/usr/bin/other\n");
  const refused = { code: "service" };
  await assert.rejects(installService(place, { isStarted: true }), refused);
  await assert.rejects(uninstallService(place), refused);
  assert.match(readFileSync(unit, "utf8"), /other/);
});
