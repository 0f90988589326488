import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { freePort } from "../../support/free-port.ts";
import { waitFor } from "../../support/wait-for.ts";
import { openCli } from "../test-cli.ts";
import { openEditor } from "./editor.ts";
import { startProxy } from "./proxy.ts";
import type { ProxiedRequest } from "./proxy.ts";

test("P1 T2 if the server is unreachable for too long, the prompt is kept and later updates arrive once each", async (t) => {
  const cli = openCli(t);
  const { folder } = cli;
  const { running, url, port, token } = await cli.serve(await freePort());
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

test("P1 a prompt that is accepted while a lost stream ends other prompts is followed to its end", async (t) => {
  const cli = openCli(t);
  const { folder } = cli;
  const serving = await cli.serve();
  const { token } = serving;
  let stream: "open" | "cut" | "lost" = "open";
  let accepts = 0;
  const secondAccepted = Promise.withResolvers<void>();
  const holdsRead = Promise.withResolvers<void>();
  const outcomeRead = Promise.withResolvers<void>();
  const passAccept = Promise.withResolvers<void>();
  const passOutcome = Promise.withResolvers<void>();
  const before = async ({ method, path }: ProxiedRequest): Promise<string> => {
    if (stream === "cut" && path.endsWith("/events")) {
      stream = "lost";
      return "fail";
    }
    if (stream !== "lost") return "pass";
    if (path.endsWith("/holds")) holdsRead.resolve();
    if (method === "GET" && path.includes("/prompts/")) {
      outcomeRead.resolve();
      await passOutcome.promise;
    }
    return "pass";
  };
  const answered = async ({ method, path }: ProxiedRequest): Promise<void> => {
    if (method !== "POST" || !path.endsWith("/prompts")) return;
    accepts += 1;
    if (accepts !== 2) return;
    secondAccepted.resolve();
    await passAccept.promise;
  };
  const proxy = await startProxy(t, serving, { before, answered });
  const words = ["--server", proxy.url];
  const editor = await openEditor(t, { folder, words, environment: { HOLDFAST_TOKEN: token } });
  const sessionId = await editor.newSession(folder);
  const session = connect(serving).session(sessionId);
  const holdId = await session.hold();
  const first = assert.rejects(editor.prompt(sessionId, "say one"), /outcome .* is unknown/);
  await editor.until(sessionId, ({ content }) => content?.text?.includes("paused") === true);
  const second = editor.prompt(sessionId, "say two");
  await arrived(secondAccepted, "the accepted second prompt");
  stream = "cut";
  proxy.cutStreams();
  await arrived(outcomeRead, "the request for the outcome of the first prompt");
  passAccept.resolve();
  // The command reads the holds as soon as it knows that the prompt was accepted.
  await arrived(holdsRead, "the request for the holds");
  passOutcome.resolve();
  await first;
  await session.release(holdId);
  const answer = await waitFor(() => second, { describe: "the end of the second prompt" });
  assert.deepEqual(answer, { stopReason: "end_turn" });
  assert.match(editor.words(sessionId).join("\n"), /\[demo agent\] two/);
});

async function arrived({ promise }: PromiseWithResolvers<void>, describe: string): Promise<void> {
  await waitFor(() => promise.then(() => true), { describe });
}
