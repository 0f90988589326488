import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerClock } from "../../src/session/server-clock.ts";

const noon = Date.UTC(2026, 0, 1, 12);
const header = (time: number): string => new Date(time).toUTCString();

test("the clock follows the server if this machine's clock is wrong by more than five seconds", () => {
  let own = noon;
  const clock = new ServerClock(() => own);
  clock.compare(header(noon + 4_000));
  assert.equal(clock.now(), noon);
  clock.compare(header(noon + 3_600_000));
  assert.equal(clock.now(), noon + 3_600_000);
  // Responses without the header, or with a small deviation, change nothing.
  clock.compare(null);
  clock.compare(header(noon + 3_603_000));
  assert.equal(clock.now(), noon + 3_600_000);
  // The clock of this machine is corrected.
  own = noon + 3_600_000;
  clock.compare(header(noon + 3_600_000));
  assert.equal(clock.now(), own);
});
