import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { contentHash } from "../../../src/runner/prompt.ts";
import { findForgotten, removeForgotten } from "../../../src/runtime/retention/forgotten-bodies.ts";
import { openTestServer } from "./test-server.ts";
import type { TestServer } from "./test-server.ts";

// P3: a repeated request gets the same answer as the first, before anything else is checked.

const file = Buffer.from("some notes");
const hash = createHash("sha256").update(file).digest("hex");
const upload = { body: file, headers: { "content-type": "text/plain" } };

/** Deletes the session and all content that only it used, as `tidy` does. */
async function deleteAndTidy({ ask, place }: TestServer, sessionId: string): Promise<void> {
  assert.equal((await ask("DELETE", `/v1/sessions/${sessionId}`)).status, 200);
  const { store } = place.first.holdfast;
  await store.sweepUploads({ before: Number.MAX_SAFE_INTEGER });
  await removeForgotten(store, await findForgotten(store));
}

test("P3 a prompt with attachments is the same prompt after its session was deleted and tidied", async (t) => {
  const testServer = await openTestServer(t);
  const { ask, place } = testServer;
  await ask("POST", "/v1/attachments?name=notes.txt", upload);
  const body = { promptId: "a", text: "look", reply: false, attachments: [hash] };
  const first = await ask("POST", "/v1/sessions/main/prompts", { body });
  assert.equal(first.status, 200);
  await deleteAndTidy(testServer, "main");
  assert.equal(await place.first.holdfast.store.body(hash), null);

  const again = await ask("POST", "/v1/sessions/main/prompts", { body });
  assert.deepEqual(
    [again.status, again.json.acceptSeq, again.json.outcome],
    [200, first.json.acceptSeq, first.json.outcome],
  );
  const others = [
    { ...body, text: "another" },
    { ...body, attachments: ["0".repeat(64)] },
    { ...body, attachments: [hash, hash] },
    { ...body, attachments: undefined },
  ];
  for (const other of others) {
    const answer = await ask("POST", "/v1/sessions/main/prompts", { body: other });
    assert.deepEqual([answer.status, answer.code], [409, "conflict"]);
  }
  const unknown = await ask("POST", "/v1/sessions/main/prompts", {
    body: { ...body, promptId: "b" },
  });
  assert.deepEqual([unknown.status, unknown.code], [404, "unknownAttachment"]);
});

test("P3 a repeated prompt with attachments that version 0.1.0 accepted is the same prompt", async (t) => {
  const { ask, place } = await openTestServer(t);
  const { store } = place.first.holdfast;
  await ask("POST", "/v1/attachments?name=notes.txt", upload);
  const body = { promptId: "a", text: "look", reply: false, attachments: [hash] };
  const choices = {
    delivery: "queue",
    reply: false,
    expectedRunId: null,
    expiresAt: null,
    maxRunTime: null,
    budget: null,
  } as const;
  const reference = { hash, name: "notes.txt", mediaType: "text/plain", bytes: file.byteLength };
  const content = { text: "look", attachments: [reference] };
  const stored = Buffer.from(JSON.stringify(content));
  const name = createHash("sha256").update(stored).digest("hex");
  const accepted = await store.execute({
    command: {
      type: "prompt.accept",
      sessionId: "main",
      promptId: "a",
      contentHash: contentHash({ ...content, ...choices }),
      body: name,
      bytes: stored.byteLength,
      ...choices,
      parent: null,
      resultOf: null,
      limits: { maxQueue: 10, maxBytes: 1_000, draining: false },
      actor: { kind: "client", id: "old" },
    },
    bodies: [
      { hash: name, content: stored },
      { hash, content: file },
    ],
  });
  assert.equal(accepted.status, "done");
  const again = await ask("POST", "/v1/sessions/main/prompts", { body });
  assert.deepEqual([again.status, again.json.actor], [200, { kind: "client", id: "old" }]);
  const other = await ask("POST", "/v1/sessions/main/prompts", { body: { ...body, text: "no" } });
  assert.deepEqual([other.status, other.code], [409, "conflict"]);
});

test("P3 a repeated fork is the same session after its source was deleted", async (t) => {
  const testServer = await openTestServer(t);
  const { ask } = testServer;
  const send = { promptId: "a", text: "remember", reply: false };
  await ask("POST", "/v1/sessions/main/prompts", { body: send });
  const fork = { sessionId: "copy", at: 2 };
  const first = await ask("POST", "/v1/sessions/main/fork", { body: fork });
  assert.equal(first.status, 201);
  await deleteAndTidy(testServer, "main");
  const again = await ask("POST", "/v1/sessions/main/fork", { body: fork });
  assert.deepEqual([again.status, again.json], [201, first.json]);
  for (const other of [{ sessionId: "copy" }, { sessionId: "copy", at: 1 }]) {
    const answer = await ask("POST", "/v1/sessions/main/fork", { body: other });
    assert.deepEqual([answer.status, answer.code], [409, "conflict"]);
  }
  for (const body of [{ sessionId: "another", at: 2 }, {}]) {
    const answer = await ask("POST", "/v1/sessions/main/fork", { body });
    assert.deepEqual([answer.status, answer.code], [410, "deleted"]);
  }
});
