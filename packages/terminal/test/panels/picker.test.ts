import assert from "node:assert/strict";
import { test } from "node:test";
import { Picker } from "../../src/panels/picker.ts";
import { createLook } from "../../src/screen/look.ts";

test("a list prints the matched parts of a label in bold, and no control characters", () => {
  const parts = [
    { text: "a\u001b[31m quick\n", isMatch: false },
    { text: "fox", isMatch: true },
  ];
  const picker = new Picker({
    title: "Search:",
    empty: "",
    items: [{ value: 1, label: "a quick fox", parts, detail: "now" }],
    onChoose: () => {},
    onClose: () => {},
  });
  const { rows } = picker.rows({ look: createLook("plain", true), columns: 40, height: 20 });
  const shown = (rows[2] ?? "").replaceAll("\u001b", "ESC");
  assert.match(shown, /❯ a⟨U\+001B⟩\[31m quick ESC\[1mfoxESC\[22m +now/);
});
