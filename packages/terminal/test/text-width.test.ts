import assert from "node:assert/strict";
import { test } from "node:test";
import { visibleWidth as measuredWidth } from "@earendil-works/pi-tui/dist/utils.js";
import { narrowSigns, visibleWidth } from "../src/screen/text.ts";

test("the client's own signs and styles are counted as a terminal shows them", () => {
  for (const sign of narrowSigns) assert.equal(measuredWidth(sign), 1, sign);
  for (const text of ["\u001b[1m❯ bold\u001b[22m", "plain", "你好 ●", "▶\ufe0f", "e\u0301", ""]) {
    assert.equal(visibleWidth(text), measuredWidth(text), JSON.stringify(text));
  }
});
