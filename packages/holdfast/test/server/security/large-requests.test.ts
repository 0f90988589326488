import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { createRedactor } from "../../../src/agent/redact.ts";
import { holdsKey, holdsKeyInPieces } from "../../../src/runtime/commands/command-context.ts";
import { openTestServer } from "./test-server.ts";

const megabyte = 1024 * 1024;

test("a body with millions of values is refused before it is parsed", async (t) => {
  const testServer = await openTestServer(t);
  const { secret } = await testServer.token("prompt");
  await testServer.session("s", "a");
  const attacks = [
    `{"text":"a","attachments":[${"1,".repeat(500_000)}1]}`,
    `{"text":${"[".repeat(500_000)}`,
    `{${Array.from({ length: 200_000 }, (_, place) => `"k${place}\\"":1`).join()}}`,
  ];
  for (const body of attacks) {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const sent = { method: "POST", headers, body };
    const answer = await fetch(`${testServer.url}/v1/sessions/s/prompts`, sent);
    const said = await answer.text();
    assert.equal(answer.status, 400);
    assert.match(said, /the body has more than 20000 values/, said.slice(0, 200));
  }
  // Strings are not counted, whatever they contain.
  const text = `${'\\",[{'.repeat(50_000)}\\\\`;
  const { status } = await testServer.ask("POST", "/v1/sessions/s/prompts", {
    token: secret,
    body: { text, reply: false },
  });
  assert.equal(status, 200);
});

test("a refusal does not quote a request at length", async (t) => {
  const testServer = await openTestServer(t);
  await testServer.session("s", "a");
  const body = { ["k".repeat(5 * megabyte)]: 1 };
  const answer = await testServer.ask("POST", "/v1/sessions/s/prompts", {
    token: testServer.owner,
    body,
  });
  assert.equal(answer.status, 400);
  assert.ok(answer.text.length < 5_000, `the answer has ${answer.text.length} characters`);
});

test("searching a large attachment for keys does not block the event loop", async () => {
  const redactor = createRedactor(["sk-REDACTED"]);
  const redact = (text: string): string => redactor.redact(text);
  for (const filling of ["\n", "all work and no play\n", "\u0000\u00ff"]) {
    const content = Buffer.alloc(16 * megabyte, filling, "latin1");
    const turns = await turnsDuring(async () => {
      assert.equal(await holdsKeyInPieces(redact, content), false);
    });
    assert.ok(turns >= 16, `${JSON.stringify(filling)}: other work ran only ${turns} times`);
  }
});

/** Returns how often the event loop ran other work during the given work. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

test("a key is found anywhere in a large attachment, even wrapped over lines", async () => {
  const key = "sk-REDACTED";
  const redactor = createRedactor([key]);
  const redact = (text: string): string => redactor.redact(text);
  const wrapped = key.split("").join("\r\n".repeat(1_000));
  for (const written of [key, wrapped]) {
    for (const place of [0, megabyte - 10, megabyte, 2 * megabyte - 1, 3 * megabyte - 100_000]) {
      for (const filling of ["x", "\u00ff"]) {
        const content = Buffer.alloc(3 * megabyte, filling, "latin1");
        content.write(written, place, "latin1");
        const found = [holdsKey(redact, content), await holdsKeyInPieces(redact, content)];
        assert.deepEqual(found, [true, true], `${written.length} characters at ${place}`);
      }
    }
  }
  assert.equal(await holdsKeyInPieces(redact, Buffer.alloc(2 * megabyte, "sk-8f2b")), false);
});

test("a page of large messages or prompts ends early, and the next pages have the rest", async (t) => {
  const testServer = await openTestServer(t);
  const session = await connect({ url: testServer.url, token: testServer.owner }).sessions.create({
    directory: join(testServer.folder, "a"),
  });
  const places = Array.from({ length: 12 }, (_, place) => place);
  for (const place of places) {
    await session.prompt(`${place} `.padEnd(megabyte, "x"), { reply: false });
  }
  const fork = await session.fork();
  for (const each of [session, fork]) {
    const first = await each.messages({ limit: 500 });
    assert.ok(first.items.length < places.length, `${first.items.length} on the first page`);
    const found: number[] = [];
    for await (const message of each.eachMessage({ limit: 500 })) {
      if (message.role === "user") found.push(placeOf(message));
    }
    assert.deepEqual(found, places);
  }
  const prompts: number[] = [];
  let pages = 0;
  for (let after: string | undefined; ;) {
    const { items, cursor } = await session.prompts({ limit: 500, after });
    pages += 1;
    prompts.push(...items.map(placeOf));
    if (cursor === null) break;
    after = cursor;
  }
  assert.deepEqual([prompts, pages > 1], [places, true]);
});

test("large contents are exported in chunks, and are the same after an import", async (t) => {
  const testServer = await openTestServer(t);
  const holdfast = connect({ url: testServer.url, token: testServer.owner });
  const session = await holdfast.sessions.create({ directory: join(testServer.folder, "a") });
  const text = Buffer.from(`x${"\u{1f600}\n".repeat(100_000)}`);
  const binary = Buffer.alloc(megabyte + 1, "\u00ff\u0001", "latin1");
  for (const content of [text, binary]) {
    await session.prompt("look", {
      reply: false,
      attachments: [{ content: new Uint8Array(content) }],
    });
  }
  const document = (await Array.fromAsync(session.export())).join("");
  const copy = await holdfast.sessions.import(document);
  const { items } = await copy.messages();
  const hashes = items.flatMap((item) => (item.role === "user" ? item.attachments : []));
  const contents = [];
  for (const { hash } of hashes)
    contents.push(Buffer.from(await holdfast.attachments.download(hash)));
  assert.deepEqual(contents, [text, binary]);
});

/** The number at the start of a text. */
function placeOf({ text }: { text?: string | null }): number {
  return Number.parseInt(text ?? "", 10);
}
