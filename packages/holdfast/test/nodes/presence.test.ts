import assert from "node:assert/strict";
import { test } from "node:test";
import { createHandClock } from "../support/hand-clock.ts";
import { createPresence } from "../../src/runner/nodes/presence.ts";

test("M9 an absent directory is not checked again after a close", async () => {
  const clock = createHandClock();
  const answer = Promise.withResolvers<boolean>();
  let looks = 0;
  const presence = createPresence({
    isPresent: () => {
      looks += 1;
      return answer.promise;
    },
    onFound: () => {},
    onError: assert.ifError,
    clock,
  });
  const checked = presence.check("/away");
  presence.close();
  answer.resolve(false);
  assert.equal(await checked, false);
  await clock.move(60_000);
  assert.equal(looks, 1);
});
