import assert from "node:assert/strict";
import { test } from "node:test";
import { away } from "../../runner/support/tampered-store.ts";
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
