import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openUserPage } from "../../packages/web/test/support/user-page.ts";
import { openWebServer } from "../../packages/web/test/support/web-server.ts";
import type { WebServer } from "../../packages/web/test/support/web-server.ts";
import { doSomeWork, withShop } from "./take-pictures.ts";

/** Themes, window sizes and languages. Every view gets one screenshot with each entry. */
const looks: Readonly<Record<string, BrowserContextOptions>> = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true },
  tablet: { viewport: { width: 820, height: 1000 }, hasTouch: true },
  chinese: { viewport: { width: 1280, height: 800 }, locale: "zh-CN" },
};

interface View {
  readonly name: string;
  readonly path: string;
  /** Selector of an element that appears when the view is complete. */
  readonly ready: string;
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Takes a screenshot of every view with every entry of `looks`. Selectors do not depend on the language. */
export async function takeEveryView(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await withShop(async (server, shop) => {
    const empty = await openWebServer();
    try {
      await takeViews(empty, folder, firstViews);
    } finally {
      await empty.close();
    }
    const checkout = await doSomeWork(server, shop);
    const { items } = await server.holdfast.asks();
    const asking = `/sessions/${items[0]?.sessionId ?? ""}`;
    const { items: all } = await server.holdfast.sessions.list();
    const paused = `/sessions/${all.find(({ holds }) => holds.length > 0)?.sessionId ?? ""}`;
    const first = `/sessions/${checkout.sessionId}`;
    await takeViews(server, folder, [...workViews({ first, asking, paused }), ...serverViews]);
  });
}

async function takeViews(server: WebServer, folder: string, views: readonly View[]): Promise<void> {
  for (const [look, options] of Object.entries(looks)) {
    const { page, close } = await openUserPage(server.browser, await server.link(), options);
    page.setDefaultTimeout(10_000);
    for (const { name, path, ready, prepare } of views) {
      try {
        await page.goto(`${server.url}${path}`);
        await page.locator(ready).first().waitFor();
        await prepare?.(page);
      } catch (error) {
        // Take the picture anyway: it shows what is missing.
        console.error(`${name}.${look}: ${String(error)}`);
        process.exitCode = 1;
      }
      // Highlighting appears a moment after the code.
      await pause(400);
      await page.screenshot({ path: join(folder, `${name}.${look}.png`) });
    }
    await close();
  }
}

/** Clicks the first element with this selector, then waits for the second one. */
function click(selector: string, ready: string): (page: Page) => Promise<void> {
  return async (page) => {
    await page.locator(selector).first().click();
    await page.locator(ready).first().waitFor();
  };
}

/** Presses a key outside of text fields. */
function press(key: string, ready: string): (page: Page) => Promise<void> {
  return async (page) => {
    await page.locator(".virtual-list").focus();
    await page.keyboard.press(key);
    await page.locator(ready).first().waitFor();
  };
}

function write(text: string, ready: string): (page: Page) => Promise<void> {
  return async (page) => {
    await page.locator("#composer").fill("");
    await page.locator("#composer").pressSequentially(text);
    await page.locator(ready).first().waitFor();
    await page.locator("#composer").evaluate((element) => element.scrollIntoView());
  };
}

const menu = ".page-head [aria-haspopup=menu]";

/** Opens an entry of the session's menu by its place. */
function menuEntry(place: number): (page: Page) => Promise<void> {
  return async (page) => {
    await page.locator(menu).click();
    await page.locator("[role=menuitem]").nth(place).click();
    await page.locator("dialog").waitFor();
  };
}

/** Views of a server without a model and without sessions. */
const firstViews: readonly View[] = [
  { name: "start-empty", path: "/", ready: ".connect-tile" },
  {
    name: "start-provider",
    path: "/",
    ready: ".connect-tile",
    prepare: click(".connect-tiles li:first-child .connect-tile", "dialog form"),
  },
  {
    name: "start-picker",
    path: "/",
    ready: ".home-bar .button.small",
    prepare: click(".home-bar .button.small", ".palette [role=option]"),
  },
];

function workViews(paths: { first: string; asking: string; paused: string }): readonly View[] {
  const { first, asking, paused } = paths;
  const last = ".step:last-child";
  return [
    { name: "conversation", path: first, ready: ".step" },
    {
      name: "conversation-call",
      path: first,
      ready: ".call-head",
      prepare: click(".call-head[aria-expanded=false]", ".call-head[aria-expanded=true]"),
    },
    { name: "request", path: asking, ready: ".ask-card" },
    {
      name: "request-queue-edit",
      path: asking,
      ready: ".queue-row",
      prepare: async (page) => {
        await page.locator(".queue-row").first().hover();
        await page.locator(".queue-row").first().dblclick();
      },
    },
    { name: "paused", path: paused, ready: ".hold-banner, .banner" },
    { name: "menu", path: first, ready: menu, prepare: click(menu, "[role=menuitem]") },
    { name: "rename", path: first, ready: menu, prepare: menuEntry(0) },
    { name: "delete", path: first, ready: menu, prepare: menuEntry(7) },
    { name: "commands", path: first, ready: last, prepare: write("/", ".command-list") },
    { name: "mention", path: first, ready: last, prepare: write("see @ch", ".command-list") },
    {
      name: "models",
      path: first,
      ready: "button.run-choice",
      prepare: click("button.run-choice", "dialog [role=option]"),
    },
    { name: "palette", path: first, ready: last, prepare: press("Control+k", ".palette") },
    { name: "keys", path: first, ready: last, prepare: press("?", "dialog.help") },
    {
      name: "search",
      path: first,
      ready: last,
      prepare: async (page) => {
        await press("s", ".search-dialog")(page);
        await page.keyboard.type("checkout");
        await page.locator(".search-dialog li").first().waitFor();
      },
    },
    {
      name: "find",
      path: first,
      ready: last,
      prepare: async (page) => {
        await press("Control+f", ".find-bar")(page);
        await page.keyboard.type("order");
      },
    },
    { name: "changes", path: `${first}/changes`, ready: ".change tr.add" },
    {
      name: "changes-comment",
      path: `${first}/changes`,
      ready: ".change tr.add",
      prepare: click("tr.add .line-button", ".change textarea"),
    },
    {
      name: "changes-undo",
      path: `${first}/changes`,
      ready: ".change tr.add",
      prepare: click(".change-head .icon-button", "dialog"),
    },
    {
      name: "timeline-session",
      path: `${first}/timeline`,
      ready: ".prompt-bar",
      prepare: click(".prompt-bar", ".bar-detail"),
    },
  ];
}

const sections = ["look", "notifications", "access", "providers", "mcp"] as const;
const moreSections = ["rules", "config", "webhooks", "maintenance"] as const;

const serverViews: readonly View[] = [
  { name: "start", path: "/", ready: ".home-session" },
  { name: "timeline", path: "/timeline", ready: ".prompt-bar" },
  { name: "health", path: "/health", ready: ".failure" },
  ...[...sections, ...moreSections].map((section) => ({
    name: `settings-${section}`,
    path: `/settings/${section}`,
    ready: ".page-body > *",
  })),
  {
    name: "provider-form",
    path: "/settings/providers",
    ready: ".card-actions .button",
    prepare: click(".card-actions .button", "dialog form"),
  },
  {
    name: "sign-in",
    path: "/",
    ready: ".home-session",
    prepare: async (page) => {
      await page.context().clearCookies();
      await page.reload();
      await page.locator(".sign-in").waitFor();
    },
  },
];
