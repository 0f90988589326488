import { strictEqual } from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { launchBrowser } from "./support/browser.ts";

test("the browser shows text if the folder for temporary files is not /tmp", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-browser-"));
  const earlier = process.env["HOLDFAST_TEST_DISK"];
  process.env["HOLDFAST_TEST_DISK"] = folder;
  t.after(() => {
    if (earlier === undefined) delete process.env["HOLDFAST_TEST_DISK"];
    else process.env["HOLDFAST_TEST_DISK"] = earlier;
    rmSync(folder, { recursive: true, force: true });
  });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.setContent("<p>hello</p>");
    strictEqual(await page.locator("p").innerText(), "hello");
  } finally {
    await browser.close();
  }
});
