import assert from "node:assert/strict";
import { test } from "node:test";
import { createPresence } from "../../src/runner/nodes/presence.ts";

test("M9 a directory that turns out to be absent when nobody looks any more is not looked for again", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const answer = Promise.withResolvers<boolean>();
  let looks = 0;
  const presence = createPresence({
    isPresent: () => {
      looks += 1;
      return answer.promise;
    },
    onFound: () => {},
  });
  const checked = presence.check("/away");
  presence.close();
  answer.resolve(false);
  assert.equal(await checked, false);
  t.mock.timers.tick(60_000);
  assert.equal(looks, 1);
});
