import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@holdfast/sdk";
import { attachmentsPlace, callFilesPlace } from "../src/file-place.ts";
import { messageEntries } from "../src/message-entries.ts";

test("files copied by a fork are shown and loaded from its first event", () => {
  const drawing = { hash: "a", name: "drawing.png", mediaType: "image/png", bytes: 3 };
  const photo = { hash: "b", name: null, mediaType: "image/jpeg", bytes: 4 };
  const messages: Message[] = [
    {
      seq: null,
      role: "user",
      at: 1,
      promptId: "one",
      text: "draw it anew",
      attachments: [drawing],
      actor: { kind: "client", id: "ada" },
      reply: true,
      resultOf: null,
      entered: true,
      outcome: null,
    },
    {
      seq: null,
      role: "assistant",
      at: 2,
      runId: "run",
      step: 1,
      text: "",
      reasoning: null,
      model: null,
      summary: false,
      calls: [{ callId: "look", name: "read", input: {}, repeatable: true }],
      interrupted: false,
    },
    {
      seq: null,
      role: "tool",
      at: 3,
      callId: "look",
      status: "completed",
      output: "an image",
      extra: null,
      files: [photo],
      intent: null,
    },
  ];
  const found = messageEntries(messages).map((entry) => {
    if (entry.kind === "prompt") return [entry.prompt.attachments, attachmentsPlace(entry.prompt)];
    if (entry.kind !== "step") return entry;
    return entry.calls.map((call) => [call.files, callFilesPlace(call)]);
  });
  const place = ["events", "1", "files"];
  assert.deepEqual(found, [[[drawing], place], [[[photo], place]]]);
});
