import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { openCli } from "../test-cli.ts";
import { openEditor } from "./editor.ts";

test("P1 T2 if the server is unreachable for too long, the prompt is kept and later updates arrive once each", async (t) => {
  const cli = openCli(t);
  const { folder } = cli;
  const { running, url, port, token } = await cli.serve();
  const words = ["--server", url, "--patience", "200ms"];
  const editor = await openEditor(t, { folder, words, environment: { HOLDFAST_TOKEN: token } });
  const sessionId = await editor.newSession(folder);
  assert.deepEqual(await editor.prompt(sessionId, "say one"), { stopReason: "end_turn" });
  const lost = assert.rejects(
    editor.prompt(sessionId, "say two; stall"),
    /if it was accepted, it continues on the server/,
  );
  await editor.until(sessionId, ({ content }) => content?.text?.includes("two") === true);
  running.process.kill("SIGKILL");
  await lost;
  await cli.serve(port);
  await connect({ url, token }).session(sessionId).cancel();
  assert.deepEqual(await editor.prompt(sessionId, "say three"), { stopReason: "end_turn" });
  const text = editor.words(sessionId).join("\n");
  for (const word of ["one", "two", "three"]) {
    assert.equal(text.split(`[demo agent] ${word}`).length, 2, `${word} arrives once: ${text}`);
  }
});
