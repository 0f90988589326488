import assert from "node:assert/strict";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { endServers, serversIn } from "../support/end-servers.ts";
import { program, sourceProgram } from "../support/program.ts";
import { openCli, startCommand } from "./test-cli.ts";

// An old version is a copy of the built package with another number.
const needsPackage = program === sourceProgram ? "the package was not built" : false;

test(
  "M1 a command of a newer version replaces an idle background server, never a busy one",
  {
    skip: needsPackage,
  },
  async (t) => {
    const cli = openCli(t);
    t.after(() => endServers(cli.folder));
    const installed = dirname(dirname(program));
    const old = join(cli.folder, "old", "node_modules");
    cpSync(installed, join(old, "holdfast"), { recursive: true });
    cpSync(join(dirname(installed), "@holdfast"), join(old, "@holdfast"), { recursive: true });
    const manifest = join(old, "holdfast", "package.json");
    const { version } = JSON.parse(readFileSync(manifest, "utf8"));
    writeFileSync(manifest, readFileSync(manifest, "utf8").replace(`"${version}"`, '"0.0.9"'));
    const runOld = (...words: string[]) =>
      startCommand([join(old, "holdfast/bin/holdfast.js"), ...words], { folder: cli.folder }).ended;

    const first = await runOld("run", "--session", "s", "say old");
    assert.equal(first.end, 1, "the session does not exist yet");
    assert.equal((await runOld("run", "say old")).out, "[demo agent] old\n");
    const [oldPid] = serversIn(cli.folder);
    const stalled = await runOld("run", "--detach", "stall");
    assert.equal(stalled.end, 0, stalled.err);
    const busy = await cli.run("run", "say busy");
    assert.deepEqual([busy.end, busy.out], [0, "[demo agent] busy\n"]);
    assert.match(busy.err, /^holdfast: the background server has version 0\.0\.9, .* is working/m);
    assert.deepEqual(serversIn(cli.folder), [oldPid]);

    const { url } = JSON.parse(
      readFileSync(join(dirname(cli.store), "holdfast.db.server.json"), "utf8"),
    );
    const token = readFileSync(join(dirname(cli.store), "token"), "utf8").trim();
    const { items } = await connect({ url, token }).sessions.list({ status: ["running"] });
    await connect({ url, token })
      .session(items[0]?.sessionId ?? "")
      .cancel();
    const idle = await cli.run("run", "say new");
    assert.deepEqual([idle.end, idle.out], [0, "[demo agent] new\n"], idle.err);
    assert.match(
      idle.err,
      /^holdfast: the background server has version 0\.0\.9, .* is replaced$/m,
    );
    const pids = serversIn(cli.folder);
    assert.equal(pids.length, 1);
    assert.notEqual(pids[0], oldPid);
    const again = await cli.run("run", "say again");
    assert.doesNotMatch(again.err, /version/);
  },
);
