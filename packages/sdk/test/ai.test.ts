import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ChatTransport, UIMessage } from "ai";
import { chatTransport } from "@holdfast/sdk/ai";
import { connect } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { lastText, PlainChat } from "./support/chat.ts";
import { startServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

let server: TestServer;
let holdfast: Holdfast;
let transport: ChatTransport<UIMessage>;

before(async () => {
  server = await startServer();
  holdfast = connect({ url: server.url, token: server.token });
  transport = chatTransport(holdfast, { directory: server.directory });
});

after(() => server.close());

test("P3 a chat is a session, and a message is a prompt with the same id", async () => {
  const chat = new PlainChat("chat-1", transport);
  await chat.sendMessage({ text: "say hello" });
  assert.equal(chat.status, "ready");
  assert.equal(lastText(chat), "[demo agent] hello");
  const { items } = await holdfast.session("chat-1").prompts();
  assert.deepEqual(
    items.map(({ promptId }) => promptId),
    [chat.messages[0]?.id],
  );
});

function isAsked({ messages }: PlainChat): boolean {
  return messages.at(-1)?.parts.some(({ type }) => type === "data-ask") === true;
}

test("a reloaded page follows the answer from its beginning, and gets nothing if the answer has ended", async () => {
  const chat = new PlainChat("chat-2", transport);
  const sent = chat.sendMessage({ text: "say one; ask go on?; say two" });
  await waitFor(() => isAsked(chat), { describe: "the question" });
  const [question] = chat.messages;
  assert.ok(question !== undefined);
  const reloaded = new PlainChat("chat-2", transport, [question]);
  const resumed = reloaded.resumeStream();
  await waitFor(() => isAsked(reloaded), { describe: "the question on the reloaded page" });
  const session = holdfast.session("chat-2");
  const [ask] = (await session.asks({ open: true })).items;
  await session.answer(ask?.askId ?? "", { verdict: "allow" });
  await Promise.all([sent, resumed]);
  assert.equal(lastText(reloaded), lastText(chat));
  assert.equal(await transport.reconnectToStream({ chatId: "chat-2" }), null);
  assert.equal(await transport.reconnectToStream({ chatId: "never-seen" }), null);
});

test("C6 stopping the chat cancels the prompt, and a failed prompt is the chat's error", async () => {
  const chat = new PlainChat("chat-3", transport);
  const sent = chat.sendMessage({ text: "ask wait?" });
  const session = holdfast.session("chat-3");
  await waitFor(() => session.asks({ open: true }).catch(() => null), {
    describe: "an open ask",
    until: (page) => (page?.items.length ?? 0) > 0,
  });
  await chat.stop();
  await sent;
  const promptId = chat.messages[0]?.id ?? "";
  assert.equal((await session.promptById(promptId).settled()).status, "cancelled");
  await chat.sendMessage({ text: "fail on purpose" });
  const [last] = (await session.prompts()).items.slice(-1);
  assert.equal(chat.status === "error", last?.outcome?.status === "failed");
});
