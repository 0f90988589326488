import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { chatTransport } from "@holdfast/sdk/ai";
import { lastText, PlainChat } from "../../../sdk/test/support/chat.ts";
import { openPlace } from "../server/lifecycle/server-process.ts";
import { freePort } from "../support/free-port.ts";
import { waitFor } from "../support/wait-for.ts";
import { rpcAt } from "./rpc.ts";

test("P1 P2 a task and a chat reach their outcome through kill -9 of the server", async (t) => {
  const place = openPlace();
  t.after(() => place.close());
  const first = await place.start("--port", String(await freePort()));
  const { url } = first;
  const token = readFileSync(join(place.data, "token"), "utf8").trim();
  const rpc = rpcAt(url, token);
  const { result } = await rpc("tools/call", {
    name: "send_prompt",
    arguments: { directory: place.folder, text: "say before; wait 1s; say after" },
  });
  const taskId = result?.["taskId"];
  const holdfast = connect({ url, token });
  const chat = new PlainChat("chat", chatTransport(holdfast, { directory: place.folder }));
  const answered = chat.sendMessage({ text: "say before; wait 1s; say after" });
  const isRunning = async (sessionId: string): Promise<boolean> =>
    (await holdfast.session(sessionId).get()).active !== null;
  await waitFor(() => isRunning("chat").catch(() => false), { describe: "the chat's run" });
  first.process.kill("SIGKILL");
  await first.ended;
  await place.start("--port", new URL(url).port);
  await answered;
  assert.equal(chat.status, "ready");
  assert.match(lastText(chat), /after$/);
  const done = await waitFor(() => rpc("tasks/get", { taskId }), {
    describe: "the outcome of the task",
    until: (answer) => answer.result?.["status"] === "completed",
  });
  assert.match(done.result?.["result"].content[0].text, /after$/);
});
