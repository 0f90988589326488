import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";

/** Somebody in front of a browser that is signed in. */
export interface Person {
  readonly page: Page;
  /** Problems that the page has met: a test that leaves one has found one. */
  readonly problems: string[];
  /** Another tab of the same browser. */
  readonly tab: () => Promise<Page>;
  readonly say: (text: string) => Promise<void>;
  readonly answer: Locator;
  readonly toast: Locator;
  readonly status: Locator;
  readonly leave: () => Promise<void>;
}

/** `address`: a link that signs the browser in, or any page if it is signed in already. */
export async function meet(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Person> {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 800 },
    reducedMotion: "reduce",
    ...options,
  });
  // Nothing takes that long, but a machine that does much else is slow.
  context.setDefaultTimeout(180_000);
  const problems: string[] = [];
  context.on("weberror", (event) => problems.push(event.error().message));
  context.on("console", (message) => {
    if (message.type() === "error" && /Content Security|violat/i.test(message.text())) {
      problems.push(message.text());
    }
  });
  const page = await context.newPage();
  await page.goto(address);
  return {
    page,
    problems,
    tab: () => context.newPage(),
    say: async (text) => {
      await page.locator("#composer").fill(text);
      await page.keyboard.press("Enter");
    },
    answer: page.locator(".step").last(),
    toast: page.locator(".toast").last(),
    status: page.locator(".page-head .status-chip"),
    leave: () => context.close(),
  };
}
