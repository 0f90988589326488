import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { openCli } from "../test-cli.ts";
import { openEditor } from "./editor.ts";

test("P1 T2 a server that is away for longer than it is waited for: the prompt is kept, and later words are told, each once", async (t) => {
  const cli = openCli(t);
  const { folder } = cli;
  const { running, url, port, token } = await cli.serve();
  const words = ["--server", url, "--patience", "200ms"];
  const editor = await openEditor(t, { folder, words, environment: { HOLDFAST_TOKEN: token } });
  const sessionId = await editor.newSession(folder);
  assert.deepEqual(await editor.prompt(sessionId, "say one"), { stopReason: "end_turn" });
  const lost = assert.rejects(
    editor.prompt(sessionId, "say two; stall"),
    /once accepted it is kept/,
  );
  await editor.until(sessionId, ({ content }) => content?.text?.includes("two") === true);
  running.process.kill("SIGKILL");
  await lost;
  await cli.serve(port);
  await connect({ url, token }).session(sessionId).cancel();
  assert.deepEqual(await editor.prompt(sessionId, "say three"), { stopReason: "end_turn" });
  const told = editor.words(sessionId).join("\n");
  for (const word of ["one", "two", "three"]) {
    assert.equal(told.split(`[demo agent] ${word}`).length, 2, `${word} is told once: ${told}`);
  }
});
