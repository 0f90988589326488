import assert from "node:assert/strict";
import { test } from "node:test";
import { createHandClock } from "../support/hand-clock.ts";
import { createLaterLooks } from "../../src/runner/later-looks.ts";

test("L3 a change by another process is read after a short delay, unless a later signal arrives first", async () => {
  const clock = createHandClock();
  const looks: string[] = [];
  const later = createLaterLooks(clock, (sessionId) => looks.push(sessionId));
  later.plan({ sessionId: "left", seq: 5 });
  later.plan({ sessionId: "taken", seq: 5 });
  later.plan({ sessionId: "late word", seq: 5 });
  later.heard({ sessionId: "taken", seq: 6 });
  later.heard({ sessionId: "late word", seq: 4 });
  later.heard({ sessionId: "unknown", seq: 1 });
  // The same notice may arrive twice.
  later.plan({ sessionId: "same word", seq: 5 });
  later.plan({ sessionId: "same word", seq: 5 });
  later.heard({ sessionId: "same word", seq: 5 });
  assert.deepEqual(looks, []);
  await clock.move(1_000);
  assert.deepEqual(looks, ["left", "late word", "same word"]);

  // The session may be planned again. A process that drains reads no session any more.
  later.plan({ sessionId: "left", seq: 7 });
  await clock.move(1_000);
  later.plan({ sessionId: "left", seq: 8 });
  later.close();
  await clock.move(1_000);
  assert.deepEqual(looks, ["left", "late word", "same word", "left"]);
});
