import assert from "node:assert/strict";
import { test } from "node:test";
import { endOfLifeOf } from "../../../../src/agent/model/catalogue/end-of-life.ts";
import type { EndOfLife } from "../../../../src/agent/model/catalogue/end-of-life.ts";

const model = { id: "a/old", endOfLife: "2026-11-30", successor: "new" };

function on(day: string): EndOfLife | null {
  return endOfLifeOf(model, Date.parse(`${day}T12:00:00Z`));
}

test("a shutdown is reported from 30 days before its date, and more clearly after it", () => {
  assert.equal(on("2026-10-30"), null);
  assert.deepEqual(on("2026-10-31"), {
    status: "ending",
    message:
      "a/old reaches its end of life in 30 days, on 2026-11-30. Choose another model, such as new.",
  });
  assert.match(on("2026-11-29")?.message ?? "", /end of life tomorrow, on 2026-11-30/);
  assert.deepEqual(on("2026-11-30"), {
    status: "ended",
    message:
      "a/old reached its end of life on 2026-11-30. Its provider may refuse every request. Choose another model, such as new.",
  });
});

test("a model without a shutdown date, or with an invalid one, is not reported", () => {
  const now = Date.parse("2030-01-01");
  assert.equal(endOfLifeOf({ ...model, endOfLife: null }, now), null);
  assert.equal(endOfLifeOf({ ...model, endOfLife: "soon" }, now), null);
});
