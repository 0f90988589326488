import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqlitePlace } from "./support/place.ts";

// A child that its run has named and not yet sent when its process dies.

for (const background of [true, false]) {
  const kind = background ? "background" : "foreground";
  test(`C7 a ${kind} child that was never sent does not outlive its cancelled run`, async (t) => {
    const place = await openSqlitePlace(t);
    const run = await place.openStep("a");
    await run.answer("help");
    const accept = place.first.store.holdBack(
      ({ command }) => command.type === "prompt.accept" && command.sessionId === "child",
    );
    const request = { sessionId: "child", promptId: "job", text: "help" };
    const sending = background ? run.context.background(request) : run.context.child(request);
    const failed = assert.rejects(sending);
    await accept.arrived;
    await place.first.crash();
    accept.release();
    await failed;
    const second = await place.open({ maxRuns: 0 });
    await second.holdfast.cancel({ sessionId: "main" });
    const third = await place.open();
    assert.equal(await place.outcome("a"), "cancelled: sessionCancel");
    const state = await third.store.lane("main");
    assert.deepEqual([state?.active, state?.background], [null, []]);
    assert.equal(await place.outcome("job", "child"), "cancelled: parentCancel");
  });
}
