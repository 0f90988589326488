import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestContext } from "node:test";
import { connect } from "@holdfast/sdk";
import { waitFor } from "../../support/wait-for.ts";
import { openCli } from "../test-cli.ts";
import type { Serving } from "../test-cli.ts";
import { openEditor } from "./editor.ts";
import type { Editor } from "./editor.ts";
import { startProxy } from "./proxy.ts";

const cli = openCli({ after });
const { folder } = cli;
let serving: Serving;

before(async () => {
  serving = await cli.serve();
});

test("two requests that load the same session at once are both answered, and a prompt between them fails", async (t) => {
  const editor = await openEditor(t, { folder });
  const { sessionId } = await connect(serving).sessions.create({ directory: folder });
  const load = (): Promise<object> =>
    editor.request("session/load", { sessionId, cwd: folder, mcpServers: [] });
  const first = load();
  const refused = assert.rejects(
    editor.prompt(sessionId, "say never"),
    /loaded again in this editor before the message was sent; send it again$/,
  );
  const loads = Promise.all([first, load(), refused]);
  const [one, two] = await waitFor(() => loads, { describe: "three answers" });
  assert.deepEqual(
    [one, two].map((answer) => Object.keys(answer)),
    [
      ["configOptions", "modes"],
      ["configOptions", "modes"],
    ],
  );
});

test("if a new session could not be followed, the next prompt follows it and the editor gets the commands", async (t) => {
  const { editor, fail } = await behindProxy(t);
  fail("/events");
  const sessionId = await editor.newSession(folder);
  await editor.running.printed("the proxy has failed");
  assert.equal(editor.commandsOf(sessionId), null);
  fail(null);
  assert.deepEqual(await editor.prompt(sessionId, "say on"), { stopReason: "end_turn" });
  await waitFor(() => editor.commandsOf(sessionId), { describe: "the commands" });
});

test("if a session could not be loaded, the next prompt first reports its history with the fork's messages", async (t) => {
  const { editor, fail } = await behindProxy(t);
  const session = await connect(serving).sessions.create({ directory: folder });
  await (await session.prompt("say from before")).settled();
  const { sessionId } = await session.fork();
  fail("/messages");
  await assert.rejects(
    editor.request("session/load", { sessionId, cwd: folder, mcpServers: [] }),
    /the proxy has failed/,
  );
  assert.deepEqual(editor.words(sessionId), []);
  fail(null);
  assert.deepEqual(await editor.prompt(sessionId, "say next"), { stopReason: "end_turn" });
  const words = editor.words(sessionId).join("").replaceAll("agent: ", "");
  assert.equal(words, "user: say from before[demo agent] from before[demo agent] next");
  await waitFor(() => editor.commandsOf(sessionId), { describe: "the commands" });
});

/** An editor whose requests to the server fail if their path has a certain end. */
async function behindProxy(
  t: TestContext,
): Promise<{ editor: Editor; fail: (end: string | null) => void }> {
  let failing: string | null = null;
  const proxy = await startProxy(t, serving, {
    before: ({ path }) => (failing !== null && path.endsWith(failing) ? "fail" : "pass"),
  });
  const environment = { HOLDFAST_SERVER: proxy.url, HOLDFAST_TOKEN: serving.token };
  const editor = await openEditor(t, { folder, environment });
  const fail = (end: string | null): void => {
    failing = end;
  };
  return { editor, fail };
}
