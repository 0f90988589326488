import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { connect } from "@holdfast/sdk";
import { asks, says } from "../../../../../gauntlet/model-server/script.ts";
import type { Reply } from "../../../../../gauntlet/model-server/script.ts";
import { lastWords, openModelCli, replying } from "../model-cli.ts";
import { openEditor } from "./editor.ts";

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function edit(from: string, to: string): Reply {
  return asks({ name: "edit", input: { path: "a.txt", edits: [{ old: from, new: to }] } });
}

test("an editor works with the coding agent", async (t) => {
  const cli = await openModelCli(
    t,
    replying({
      "change it": [
        asks({ name: "read", input: { path: "a.txt" } }),
        edit("world", "there"),
        edit("there", "you"),
        asks({ name: "todo", input: { items: [{ text: "look", status: "active" }] } }),
        says("Done."),
      ],
      "look at": [says("Seen.")],
    }),
  );
  const { folder } = cli;
  const { url, token } = await cli.serve();
  const holdfast = connect({ url, token });
  const editor = await openEditor(t, { folder });

  await t.test(
    "a change is shown as a diff before the permission and after the call; `always` applies to the session",
    async () => {
      const file = join(folder, "a.txt");
      writeFileSync(file, "hello world\n");
      const sessionId = await editor.newSession(folder);
      const answer = editor.prompt(sessionId, "change it");
      const question = await editor.asked();
      const diff = { type: "diff", path: file, oldText: "hello world\n", newText: "hello there\n" };
      const id = editor
        .updatesOf(sessionId)
        .findLast((update) => update.sessionUpdate === "tool_call");
      assert.deepEqual(question.params, {
        sessionId,
        toolCall: {
          toolCallId: id?.toolCallId,
          status: "pending",
          title: "May the agent change a.txt?",
          content: [diff],
          locations: [{ path: file, line: 1 }],
        },
        options: [
          { optionId: "once", name: "Allow once", kind: "allow_once" },
          {
            optionId: "session",
            name: "Always in this session (changes to a.txt)",
            kind: "allow_always",
          },
          {
            optionId: "project",
            name: "Always in this project (changes to a.txt)",
            kind: "allow_always",
          },
          { optionId: "no", name: "Reject", kind: "reject_once" },
        ],
      });
      question.choose("session");
      assert.deepEqual(await answer, { stopReason: "end_turn" });
      assert.equal(readFileSync(file, "utf8"), "hello you\n");
      assert.deepEqual(editor.words(sessionId), [
        "read a.txt: pending",
        "read a.txt: completed",
        "edit a.txt: pending",
        "edit a.txt: in_progress",
        "edit a.txt: completed",
        "edit a.txt: pending",
        "edit a.txt: in_progress",
        "edit a.txt: completed",
        "todo: pending",
        "todo: completed",
        "agent: Done.",
      ]);
      const ids = editor.updatesOf(sessionId).flatMap((update) => update.toolCallId ?? []);
      assert.equal(new Set(ids).size, 4);
      const made = editor
        .updatesOf(sessionId)
        .find(({ toolCallId, status }) => toolCallId === id?.toolCallId && status === "completed");
      assert.deepEqual(made?.content, [diff]);
      const plan = editor.updatesOf(sessionId).find((update) => update.sessionUpdate === "plan");
      assert.deepEqual(plan, {
        sessionUpdate: "plan",
        entries: [{ content: "look", priority: "medium", status: "in_progress" }],
      });
    },
  );

  await t.test("mentioned, embedded and attached files are sent with the prompt", async () => {
    const sessionId = await editor.newSession(folder);
    const uri = pathToFileURL(join(folder, "b.ts")).href;
    const prompt = [
      { type: "text", text: "look at " },
      { type: "resource_link", name: "b.ts", uri: `${uri}#L3` },
      { type: "text", text: " and " },
      { type: "resource", resource: { uri, text: "let b;\n", mimeType: "text/plain" } },
      { type: "image", data: pixel, mimeType: "image/png", uri: "file:///x/dot.png" },
    ];
    const { stopReason } = await editor.request<{ stopReason: string }>("session/prompt", {
      sessionId,
      prompt,
    });
    assert.equal(stopReason, "end_turn");
    const path = join(folder, "b.ts");
    const { calls } = cli.server;
    assert.match(
      lastWords(calls),
      new RegExp(RegExp.escape(`look at [b.ts](${path}#L3) and [b.ts](${path})`)),
    );
    assert.ok(lastWords(calls).includes(`<file path="${path}">\nlet b;\n</file>`));
    const content = new Uint8Array(Buffer.from(pixel, "base64"));
    const picture = { content, mediaType: "image/png", name: "dot.png" };
    const { items } = await holdfast.session(sessionId).prompts();
    assert.deepEqual(
      items.flatMap(({ attachments }) => attachments),
      [await holdfast.attachments.upload(picture)],
    );
    const sound = [{ type: "audio", data: "", mimeType: "audio/wav" }];
    await assert.rejects(
      editor.request("session/prompt", { sessionId, prompt: sound }),
      /blocks of type audio are not supported/,
    );
  });
});
