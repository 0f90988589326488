import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readTerminalSettings } from "../../../src/cli/terminal/terminal-settings.ts";

test("config and environment set the screen-reader mode; the environment takes precedence", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-settings-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const environment = { XDG_CONFIG_HOME: folder };
  const read = (variable?: string) =>
    readTerminalSettings({ ...environment, HOLDFAST_SCREEN_READER: variable });
  assert.deepEqual(await read(), { screenReader: false, theme: null });
  assert.deepEqual(await read("1"), { screenReader: true, theme: null });

  mkdirSync(join(folder, "holdfast"));
  const file = join(folder, "holdfast", "config.jsonc");
  writeFileSync(file, '{ // own\n  "terminal": { "screenReader": true, "theme": "dark", },\n}\n');
  assert.deepEqual(await read(), { screenReader: true, theme: "dark" });
  assert.deepEqual(await read("0"), { screenReader: false, theme: "dark" });

  writeFileSync(file, '{ "terminal": "broken');
  assert.deepEqual(await read(), { screenReader: false, theme: null });
});
