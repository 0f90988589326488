import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { maxAttachmentBytes } from "../../../src/contract/attachment.ts";
import { call } from "../../runner/support/puppets.ts";
import { openTestServer } from "./test-server.ts";
import type { Json } from "./test-server.ts";

const page = Buffer.from("<script>alert(1)</script>");
const hash = createHash("sha256").update(page).digest("hex");

test("P5 an attachment is uploaded once, named by its hash, and always sent as a download", async (t) => {
  const { place, ask } = await openTestServer(t);
  const unknown = await ask("POST", "/v1/sessions/main/prompts", {
    body: { text: "look", attachments: [hash] },
  });
  assert.deepEqual(
    [unknown.status, unknown.code, unknown.json.error.details],
    [404, "unknownAttachment", { hash }],
  );
  const name = "a page.html";
  const path = `/v1/attachments?name=${encodeURIComponent(name)}`;
  const attachment = { hash, mediaType: "text/html", name, bytes: page.byteLength };
  for (const _ of ["once", "again"]) {
    const uploaded = await ask("POST", path, {
      body: page,
      headers: { "content-type": "text/html" },
    });
    assert.deepEqual([uploaded.status, uploaded.json], [201, attachment]);
  }
  const body = { promptId: "a", text: "look", attachments: [hash] };
  const sent = await ask("POST", "/v1/sessions/main/prompts", { body });
  assert.deepEqual([sent.status, sent.json.attachments], [202, [attachment]]);
  const run = await place.puppets.next();
  const content = await run.context.attachment(hash);
  assert.deepEqual(Buffer.from(content ?? []), page);

  // Accepted prompts need no upload, and repeating one after the sweep needs none either.
  await place.first.holdfast.store.sweepUploads({ before: Number.MAX_SAFE_INTEGER });
  assert.equal((await ask("GET", `/v1/attachments/${hash}`)).code, "unknownAttachment");
  const kept = await ask("GET", `/v1/sessions/main/prompts/a/attachments/${hash}`);
  assert.deepEqual(
    [
      kept.status,
      kept.text,
      kept.headers.get("content-type"),
      kept.headers.get("content-disposition"),
      kept.headers.get("x-content-type-options"),
      kept.headers.get("content-security-policy"),
    ],
    [
      200,
      page.toString(),
      "application/octet-stream",
      "attachment; filename*=UTF-8''a%20page.html",
      "nosniff",
      "sandbox; default-src 'none'",
    ],
  );
  const foreign = "0".repeat(64);
  const other = await ask("GET", `/v1/sessions/main/prompts/a/attachments/${foreign}`);
  assert.deepEqual([other.status, other.code], [404, "unknownAttachment"]);
  const again = await ask("POST", "/v1/sessions/main/prompts", { body });
  assert.deepEqual([again.status, again.json.promptId], [202, "a"]);
  await run.finish();
  await place.outcome("a");

  await ask("POST", "/v1/sessions/main/fork", { body: { sessionId: "fork" } });
  const files = [`fork/events/1/files/${hash}`, `fork/events/1/files/${foreign}`].map((file) =>
    ask("GET", `/v1/sessions/${file}`),
  );
  assert.deepEqual(
    (await Promise.all(files)).map(({ status, text, code }) => [status, code ?? text]),
    [
      [200, page.toString()],
      [404, "unknownAttachment"],
    ],
  );
});

test("an attachment is a prompt, with an empty text or without a text", async (t) => {
  const { ask } = await openTestServer(t);
  const uploaded = await ask("POST", "/v1/attachments?name=a.txt", { body: Buffer.from("words") });
  const attachments = [uploaded.json.hash];
  for (const body of [
    { promptId: "one", text: "", attachments },
    { promptId: "two", attachments },
  ]) {
    const sent = await ask("POST", "/v1/sessions/main/prompts", { body });
    assert.deepEqual([sent.status, sent.json.text], [202, ""], body.promptId);
  }
  const empty = await ask("POST", "/v1/sessions/main/prompts", { body: { text: "" } });
  assert.deepEqual([empty.status, empty.code], [400, "invalid"]);
});

test("P5 attachments that are empty, too large or without a valid media type are refused", async (t) => {
  const { ask, askSocket } = await openTestServer(t);
  const empty = await ask("POST", "/v1/attachments", { body: Buffer.alloc(0) });
  assert.deepEqual([empty.status, empty.code], [400, "invalid"]);
  const odd = await ask("POST", "/v1/attachments", {
    body: page,
    headers: { "content-type": "whatever" },
  });
  assert.deepEqual([odd.status, odd.code], [415, "badContentType"]);
  const huge = await askSocket("POST", "/v1/attachments", {
    body: Buffer.alloc(maxAttachmentBytes + 1),
    headers: { "content-type": "image/png" },
  });
  assert.deepEqual(
    [huge.status, huge.code, huge.json.error.details],
    [413, "tooLarge", { limit: maxAttachmentBytes }],
  );
});

test("a file that a call showed the model can be downloaded from its event, and nowhere else", async (t) => {
  const { place, ask } = await openTestServer(t);
  await place.prompt("a");
  const run = await place.puppets.next();
  await run.boundary();
  await run.say({ type: "answer", text: "", calls: [call("one"), call("two")] });
  for (const callId of ["one", "two"]) await run.startTool(callId);
  const files = [{ name: "b.png", mediaType: "image/png", content: page }];
  await run.say({ type: "toolEnd", callId: "one", status: "completed", output: "seen", files });
  await run.say({ type: "toolEnd", callId: "two", status: "completed", output: "nothing" });
  await run.finish("done");
  await place.outcome("a");
  const named = [{ hash, name: "b.png", mediaType: "image/png", bytes: page.byteLength }];
  const { json } = await ask("GET", "/v1/sessions/main/messages");
  assert.deepEqual(
    json.items.map((message: Json) => message.files),
    [undefined, undefined, named, undefined, undefined],
  );
  const seq = (await place.types()).indexOf("tool.ended") + 1;
  const event = await ask("GET", `/v1/sessions/main/events/${seq}`);
  assert.deepEqual(event.json.content, { output: "seen", extra: null, files: named });
  const shown = await ask("GET", `/v1/sessions/main/events/${seq}/files/${hash}`);
  assert.deepEqual(
    [shown.status, shown.text, shown.headers.get("content-type")],
    [200, page.toString(), "image/png"],
  );
  await ask("POST", "/v1/sessions/main/fork", { body: { sessionId: "fork" } });
  const forked = await ask("GET", `/v1/sessions/fork/events/1/files/${hash}`);
  assert.deepEqual([forked.status, forked.text], [200, page.toString()]);
  const codes = [`${seq + 1}/files/${hash}`, `1/files/${hash}`, `99/files/${hash}`].map(
    async (path) => (await ask("GET", `/v1/sessions/main/events/${path}`)).code,
  );
  assert.deepEqual(await Promise.all(codes), [
    "unknownAttachment",
    "unknownAttachment",
    "unknownEvent",
  ]);
});
