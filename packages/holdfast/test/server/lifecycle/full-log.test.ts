import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findServer } from "../../../src/server/discovery.ts";
import { program } from "../../support/program.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { waitFor } from "../../support/wait-for.ts";

// Writes to this file fail because the disk is full.
const full = "/dev/full";
const skip = existsSync(full) ? false : `this system has no ${full}`;

test("a server whose log file is full answers requests and stops", { skip }, async (t) => {
  const folder = scratchFolder(t, "full-log");
  const log = openSync(full, "w");
  const words = ["serve", "--port", "0", "--data", folder];
  const server = spawn(process.execPath, [program, ...words], {
    cwd: folder,
    env: { ...process.env, HOLDFAST_LOG: "debug" },
    stdio: ["ignore", "ignore", log],
  });
  closeSync(log);
  t.after(() => server.kill("SIGKILL"));
  const { url } = await waitFor(() => findServer(join(folder, "holdfast.db.server.json")), {
    describe: "an answer of the server",
    until: (found) => found !== null,
  }).then((found) => found ?? assert.fail());
  const token = readFileSync(join(folder, "token"), "utf8").trim();
  const headers = { authorization: `Bearer ${token}` };
  for (let count = 0; count < 3; count += 1) {
    const { status } = await fetch(`${url}/v1/sessions`, { headers });
    assert.equal(status, 200);
  }
  server.kill();
  const end = await waitFor(() => server.exitCode ?? server.signalCode, {
    describe: "the end of the server",
    until: (code) => code !== null,
  });
  assert.equal(end, 0);
});
