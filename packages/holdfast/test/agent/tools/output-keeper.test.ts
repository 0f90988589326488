import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { keepOutput } from "../../../src/agent/tools/output-keeper.ts";

test("the start and the end are kept, however the output is split into chunks", () => {
  const chunk = fc.string({
    unit: fc.constantFrom("a", "b", "c", "d", "e", "f", "g"),
    maxLength: 12,
  });
  fc.assert(
    fc.property(
      fc.array(chunk, { maxLength: 20 }),
      fc.integer({ min: 1, max: 20 }),
      (chunks, max) => {
        const output = keepOutput({ maxBytes: max, progress: () => {} });
        for (const text of chunks) output.add(Buffer.from(text));
        const whole = chunks.join("");
        const head = Math.ceil(max / 2);
        const left = whole.length - max;
        const end = whole.slice(whole.length - (max - head));
        assert.deepEqual(output.result(), {
          text:
            left <= 0 ? whole : `${whole.slice(0, head)}\n[... ${left} bytes left out ...]\n${end}`,
          truncated: left > 0,
          bytes: whole.length,
        });
      },
    ),
  );
});
