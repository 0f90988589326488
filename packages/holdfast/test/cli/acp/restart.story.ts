import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { freePort } from "../../support/free-port.ts";
import { waitFor } from "../../support/wait-for.ts";
import { openCli } from "../test-cli.ts";
import { away, back, openEditor } from "./editor.ts";

test("a prompt to an unreachable remote server reports the outage and is answered when the server is back", async (t) => {
  const cli = openCli(t);
  const { folder } = cli;
  const first = await cli.serve(await freePort());
  const environment = { HOLDFAST_TOKEN: first.token };
  const editor = await openEditor(t, { folder, environment, words: ["--server", first.url] });
  const [used, idle] = [await editor.newSession(folder), await editor.newSession(folder)];
  first.running.process.kill("SIGKILL");
  await editor.running.printed("the server is unreachable");
  const answer = editor.prompt(used, "say one");
  await editor.until(used, ({ content }) => content?.text === away);
  await cli.serve(first.port);
  assert.deepEqual(await answer, { stopReason: "end_turn" });
  const words = editor.words(used).join("").replaceAll("agent: ", "");
  assert.equal(words, `${away}${back}[demo agent] one`);
  assert.deepEqual(editor.words(idle), []);
});

test("an editor without a server starts one, which outlives the editor, and starts another after it was stopped", async (t) => {
  const cli = openCli(t);
  const { folder } = cli;
  const editor = await openEditor(t, { folder });
  try {
    const sessionId = await editor.newSession(folder);
    assert.deepEqual(await editor.prompt(sessionId, "say one"), { stopReason: "end_turn" });
    const stopped = await cli.run("server", "stop");
    assert.equal(stopped.end, 0, stopped.err);
    await waitFor(() => !existsSync(`${cli.store}.server.json`), { describe: "the server's end" });
    assert.deepEqual(await editor.prompt(sessionId, "say two"), { stopReason: "end_turn" });
    assert.deepEqual(editor.words(sessionId), ["agent: [demo agent] one[demo agent] two"]);
    assert.equal((await editor.leave()).end, 0);
  } finally {
    // The server is no child of this process, so the test stops it.
    const { end, err } = await cli.run("server", "stop");
    assert.equal(end, 0, err);
  }
});
