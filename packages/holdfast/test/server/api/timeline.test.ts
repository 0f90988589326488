import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { nextMillisecond } from "../../support/wait-for.ts";
import { changeableSecurity } from "./changeable-security.ts";
import { openTestServer } from "./test-server.ts";
import type { Json } from "./test-server.ts";

function ids({ items }: Json): string[] {
  return items.map(({ session }: Json) => session.sessionId);
}

test("the timeline has the events of all sessions with work and of the latest, without answers", async (t) => {
  const directory = scratchFolder(t, "timeline");
  const { place, ask } = await openTestServer(t);
  const run = await place.openStep("first");
  await run.answer("a secret answer", []);
  await run.finish("done");
  await place.outcomes(["first"]);
  await place.openStep("second");
  for (const sessionId of ["one", "two", "three"]) {
    await nextMillisecond();
    await ask("POST", "/v1/sessions", { body: { sessionId, directory } });
  }
  const timeline = async (latest: number): Promise<Json> =>
    (await ask("GET", `/v1/timeline?latest=${latest}`)).json;
  assert.deepEqual(ids(await timeline(0)), ["main"]);
  assert.deepEqual(ids(await timeline(2)), ["three", "two", "main"]);
  const { items, hasMore, ...rest } = await timeline(10);
  assert.deepEqual([ids({ items }), hasMore, rest], [["three", "two", "one", "main"], false, {}]);
  const [{ session, events }] = items.toReversed();
  assert.equal(session.active.kind, "run");
  assert.deepEqual(
    events.map(({ seq }: Json) => seq),
    Array.from({ length: session.seq }, (_, index) => index + 1),
  );
  const contents = events.filter(({ content }: Json) => content !== null);
  assert.deepEqual(
    contents.map(({ type, content }: Json) => [type, content.text]),
    [
      ["prompt.accepted", "text of first"],
      ["prompt.accepted", "text of second"],
    ],
  );
  assert.equal((await ask("GET", "/v1/timeline?latest=401")).status, 400);
});

test("a token limited to a directory gets no session from outside in the timeline", async (t) => {
  const folder = scratchFolder(t, "timeline");
  for (const name of ["own", "other"]) mkdirSync(join(folder, name));
  const { security, become } = changeableSecurity();
  const { ask } = await openTestServer(t, { security, session: false });
  for (const sessionId of ["own", "other"]) {
    await ask("POST", "/v1/sessions", { body: { sessionId, directory: join(folder, sessionId) } });
    await nextMillisecond();
  }
  const found = async (): Promise<string[]> => ids((await ask("GET", "/v1/timeline")).json);
  assert.deepEqual(await found(), ["other", "own"]);
  become({ role: "observe", directories: [join(folder, "own")] });
  assert.deepEqual(await found(), ["own"]);
  become({ role: "observe", directories: [] });
  assert.deepEqual(await found(), []);
});
