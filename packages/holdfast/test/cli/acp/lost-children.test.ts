import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { waitFor } from "../../support/wait-for.ts";
import { openCli } from "../test-cli.ts";
import { openEditor } from "./editor.ts";
import { startProxy } from "./proxy.ts";

test("R4 T2 after a lost stream, the editor shows the asks of a child that started before", async (t) => {
  const cli = openCli(t);
  const { folder } = cli;
  const serving = await cli.serve();
  const { token } = serving;
  let isCut = false;
  const proxy = await startProxy(t, serving, {
    before: ({ path }) => (isCut && path.endsWith("/events") ? "fail" : "pass"),
  });
  const environment = { HOLDFAST_TOKEN: token };
  const editor = await openEditor(t, { folder, words: ["--server", proxy.url], environment });
  const sessionId = await editor.newSession(folder);
  const lost = assert.rejects(
    editor.prompt(sessionId, "child { ask one; ask two }"),
    /outcome .* is unknown/,
  );
  const first = await waitFor(() => editor.asked(), { describe: "the first ask of the child" });
  assert.match(JSON.stringify(first.params), /one/);
  isCut = true;
  proxy.cutStreams();
  await waitFor(() => lost.then(() => true), { describe: "the lost stream" });
  isCut = false;

  const holdfast = connect(serving);
  const parent = holdfast.session(sessionId);
  const { active } = await parent.get();
  assert.ok(active?.kind === "run");
  const child = holdfast.session(active.children[0]?.sessionId ?? "");
  const { items } = await child.asks({ open: true });
  await child.answer(items[0]?.askId ?? "", { verdict: "allow", text: "one" });
  // A message follows the session again.
  const message = { sessionId, prompt: [{ type: "text", text: "say steered" }] };
  assert.deepEqual(await editor.request("_session/steering", message), { outcome: "injected" });
  const second = await waitFor(() => editor.asked(), { describe: "the second ask of the child" });
  assert.match(JSON.stringify(second.params), /two/);
  await parent.cancel();
});
