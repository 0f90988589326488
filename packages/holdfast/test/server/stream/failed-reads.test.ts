import assert from "node:assert/strict";
import { test } from "node:test";
import { away } from "../../runner/support/tampered-store.ts";
import { omitDamagedContent } from "../../../src/server/wire/event.ts";
import type { Message } from "./reader.ts";
import { openStreamFixture } from "./stream-fixture.ts";

test("a stream whose session cannot be read ends, and its reader resumes without loss (T2)", async (context) => {
  const store = { isAway: false };
  const fixture = await openStreamFixture(context, {
    around: (opened) => ({
      ...opened,
      lane: async (sessionId) => {
        if (store.isAway) throw away();
        return opened.lane(sessionId);
      },
    }),
  });
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  store.isAway = true;
  const reader = await fixture.read({ sessionId: "main" });
  assert.equal((await reader.next())?.event, "session.created");
  assert.equal(await reader.next(), null);
  assert.deepEqual(fixture.takeErrors(), [away()]);
  assert.deepEqual(fixture.streams.count(), { session: 0, all: 0 });
  store.isAway = false;
  const again = await fixture.read({ sessionId: "main", after: reader.place() });
  assert.equal((await again.next())?.event, "live");
  await fixture.runtime.renameSession({ sessionId: "main", title: "Mend the test" });
  assert.equal((await again.next())?.event, "session.renamed");
});

test("an event with damaged content is sent without it and reported once; later events follow (T2)", async (context) => {
  const fixture = await openStreamFixture(context, {
    around: (opened) => ({
      ...opened,
      body: async (hash) => {
        const content = await opened.body(hash);
        const isDamaged = content !== null && Buffer.from(content).includes("damaged");
        return isDamaged ? content.subarray(0, 5) : content;
      },
    }),
  });
  const { runtime } = fixture;
  await runtime.createSession({ sessionId: "main", directory: "/project" });
  for (const text of ["damaged", "whole"]) {
    await runtime.prompt({ sessionId: "main", promptId: text, text, reply: false });
  }
  for (const sessionId of ["main", null]) {
    const seen = await (await fixture.read({ sessionId })).until("live");
    const accepted = seen.filter(({ event }) => event === "prompt.accepted");
    assert.deepEqual(accepted.map(contentOf), [
      ["damaged", null],
      ["whole", { text: "whole", attachments: [] }],
    ]);
  }
  const message =
    "event 2 of session main is sent without its content, because the content cannot be read; run: holdfast doctor";
  assert.deepEqual(fixture.takeErrors().map(messageOf), [message]);
});

test("an event whose content cannot be read while the store is away is not sent without it (T2)", async (context) => {
  const fixture = await openStreamFixture(context);
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  const [event] = await fixture.runtime.store.events("main", { after: null, limit: 1 });
  assert(event !== undefined);
  const encode = omitDamagedContent({ encode: () => Promise.reject(away()), onError: () => {} });
  await assert.rejects(encode(event), away());
});

function contentOf({ data }: Message): readonly unknown[] {
  assert(typeof data === "object" && data !== null && "promptId" in data && "content" in data);
  return [data.promptId, data.content];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
