import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { startModelServer } from "../../../../gauntlet/model-server/model-server.ts";
import { asks, says } from "../../../../gauntlet/model-server/script.ts";
import { serversIn } from "../support/end-servers.ts";
import { openCli } from "./test-cli.ts";
import { key, replying } from "./model-cli.ts";

test("a key in the environment of a second terminal is used for its sessions and kept in memory only", async (t) => {
  const model = await startModelServer(
    replying({
      mine: [asks({ name: "read", input: { path: "a.txt" } }), says(`Mine ${key}.`)],
      "": [says("Title")],
    }),
  );
  t.after(() => model.close());
  const first = openCli(t);
  // The first terminal has no key, so its server has none.
  assert.equal((await first.run("run", "say hello")).out, "[demo agent] hello\n");
  const [pid] = serversIn(first.folder);

  const second = openCli(t, {
    XDG_DATA_HOME: join(first.folder, "data"),
    HOLDFAST_BASE_URL: model.addresses.openaiChat,
    HOLDFAST_API_KEY: key,
    HOLDFAST_MODEL: "local/test",
    HOLDFAST_AGENT: "",
  });
  const mine = await second.run("run", "mine");
  assert.deepEqual([mine.end, mine.out], [0, "Mine [secret].\n"], mine.err);
  assert.equal(model.calls.length > 0, true);

  // Other sessions do not get the key, and no file has it.
  const other = await first.run("run", "say other");
  assert.equal(other.out, "[demo agent] other\n");
  const third = openCli(t, { XDG_DATA_HOME: join(first.folder, "data"), HOLDFAST_AGENT: "" });
  const named = await third.run("run", "--model", "local/test", "mine");
  assert.match(named.err, /failed \(modelGone\): .*the provider local is not connected/);
  const folder = dirname(first.store);
  const files = readdirSync(folder).filter((name) => !name.endsWith("-lock"));
  for (const name of files) {
    assert.ok(!readFileSync(join(folder, name), "latin1").includes(key), name);
  }
  assert.deepEqual(serversIn(first.folder), [pid]);
});

test("a key in the environment does not bring back a disconnected provider, and a script gets no demo answer", async (t) => {
  const first = openCli(t);
  assert.equal((await first.run("run", "say hello")).out, "[demo agent] hello\n");
  const address = "http://127.0.0.1:9/v1";
  const connected = await first.run("connect", "local", "--no-key", "--base-url", address);
  assert.equal(connected.end, 0, connected.err);
  assert.equal((await first.run("disconnect", "local")).end, 0);
  const second = openCli(t, {
    XDG_DATA_HOME: join(first.folder, "data"),
    HOLDFAST_BASE_URL: address,
    HOLDFAST_AGENT: "",
  });
  const { end, out, err } = await second.run("run", "hi");
  assert.deepEqual([end, out], [2, ""], err);
  assert.match(err, /noModel: no model is connected/);
});
