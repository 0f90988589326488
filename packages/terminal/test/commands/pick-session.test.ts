import assert from "node:assert/strict";
import { test } from "node:test";
import { session } from "../../../model/test/support/session.ts";
import { sessionItems } from "../../src/commands/pick-session.ts";

test("sessions that need a person come first, including those that wait after a crash", () => {
  const failed = { kind: "failure", holdId: "h", reason: "monthlyCap", retryAt: null } as const;
  const items = sessionItems(
    [
      session("idle", { updatedAt: 9 }),
      session("queued", { status: "queued", queued: 2 }),
      session("paused", { status: "held", holds: [failed] }),
      session("by hand", {
        status: "held",
        holds: [{ kind: "person", holdId: "h", reason: "" }],
      }),
      session("running", { status: "running", queued: 1 }),
      session("crashed", {
        status: "held",
        holds: [{ kind: "recovery", holdId: "h", runId: "r" }],
      }),
      session("asking", { status: "asking", updatedAt: 5 }),
    ],
    "/code/app",
    10,
  );
  assert.deepEqual(
    items.map(({ value, detail, isUrgent }) => [value, detail.split(" · ")[0], isUrgent]),
    [
      ["asking", "needs you", true],
      ["crashed", "needs you: /resume continues it", true],
      ["running", "running, 1 queued", false],
      ["queued", "2 queued", false],
      ["paused", "paused", false],
      ["by hand", "paused", false],
      ["idle", "idle", false],
    ],
  );
});
