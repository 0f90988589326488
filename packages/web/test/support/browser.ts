import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { chromium as driver } from "playwright-core";
import type { Browser } from "playwright-core";
import { withLock } from "../../../../scripts/bootstrap/lock.mjs";

/** A real browser, out of a package: it is unpacked into the temporary folder once. */
export async function launchBrowser(): Promise<Browser> {
  let executablePath = "";
  await withLock(join(tmpdir(), "holdfast-chromium-lock"), async () => {
    executablePath = await chromium.executablePath();
  });
  const fonts = join(tmpdir(), "fonts");
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
