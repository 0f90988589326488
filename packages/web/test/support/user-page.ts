import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { waitFor } from "../../../holdfast/test/support/wait-for.ts";
import { browserTimeout } from "./browser.ts";

/** A page in a signed-in browser, with the actions and elements that tests use. */
export interface UserPage {
  readonly page: Page;
  /** Errors of the page. Tests assert that there are none. */
  readonly problems: string[];
  /** Another tab of the same browser. */
  readonly tab: () => Promise<Page>;
  readonly send: (text: string) => Promise<void>;
  readonly answer: Locator;
  readonly toast: Locator;
  readonly status: Locator;
  readonly close: () => Promise<void>;
}

/** Chooses a directory on the start page. A default that arrives while the field is filled would stay in its text. */
export async function fillDirectory(page: Page, directory: string): Promise<void> {
  const field = page.getByLabel("Directory");
  await waitFor(() => field.inputValue(), {
    describe: "the default directory",
    until: (value) => value !== "",
  });
  await field.fill(directory);
}

/** `address`: a sign-in link, or any page if the browser is already signed in. */
export async function openUserPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<UserPage> {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 800 },
    reducedMotion: "reduce",
    ...options,
  });
  context.setDefaultTimeout(browserTimeout);
  const problems: string[] = [];
  context.on("weberror", (event) => problems.push(event.error().message));
  context.on("console", (message) => {
    if (message.type() === "error" && /Content Security|violat/i.test(message.text())) {
      problems.push(message.text());
    }
  });
  const page = await context.newPage();
  await page.goto(address);
  // Wait for the end of the sign-in: a test that leaves the page earlier would not be signed in.
  const after = page.locator(".sidebar, .sign-in").first();
  if (new URL(address).hash !== "") await after.waitFor({ state: "attached" });
  return {
    page,
    problems,
    tab: () => context.newPage(),
    send: async (text) => {
      await page.locator("#composer").fill(text);
      await page.keyboard.press("Enter");
    },
    answer: page.locator(".step").last(),
    toast: page.locator(".toast").last(),
    status: page.locator(".page-head .status-chip"),
    close: () => context.close(),
  };
}
