import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { SessionHandle } from "@holdfast/sdk";
import type { Page } from "playwright-core";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { layoutProblems } from "./support/layout.ts";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";
import { openUserPage } from "./support/user-page.ts";
import type { UserPage } from "./support/user-page.ts";

// Every view on phones, tablets and small windows: nothing overlaps, and nothing is off the screen.

let server: SignedInServer;
let session: SessionHandle;

before(async () => {
  server = await openSignedInServer();
  const { holdfast, folder } = server;
  session = await holdfast.sessions.create({ directory: folder, title: "A title of some length" });
  await (await session.prompt("say **words**; append a-file.txt x; print 40; fail")).settled();
  await session.prompt("ask to append another-file.txt y; stall");
  await session.prompt("say this waits for its turn in the queue");
});

after(() => server.close());

interface View {
  readonly path: string;
  readonly ready: string;
  /** Selector of the button that opens the view. */
  readonly click?: string;
  /** The parts whose controls are compared. */
  readonly parts?: string;
}

function views(): readonly View[] {
  const own = `/sessions/${session.sessionId}`;
  const sections = ["look", "notifications", "access", "providers", "mcp", "rules", "config"];
  const menu = ".page-head [aria-haspopup=menu]";
  return [
    { path: "/", ready: ".connect-tile" },
    { path: "/", click: ".connect-tile", ready: "dialog form", parts: "dialog" },
    { path: "/", click: ".home-bar .button.small", ready: ".palette", parts: "dialog" },
    { path: own, ready: ".ask-card", parts: ".page-head, .dock" },
    { path: own, click: menu, ready: ".menu-list", parts: ".menu-list" },
    { path: `${own}/changes`, ready: ".page-message", parts: ".page-head, .changes-bar" },
    { path: `${own}/timeline`, ready: ".prompt-bar", parts: ".page-head, .chart-top" },
    { path: `${own}/timeline`, click: ".prompt-bar", ready: ".bar-detail", parts: ".bar-detail" },
    { path: "/timeline", ready: ".prompt-bar", parts: ".page-head, .chart-top" },
    { path: "/health", ready: ".failure" },
    ...[...sections, "webhooks", "maintenance"].map((section) => ({
      path: `/settings/${section}`,
      ready: ".page-body > *",
    })),
  ];
}

async function look(page: Page, view: View): Promise<readonly string[]> {
  const { path, click, ready, parts = "main" } = view;
  await page.goto(`${server.url}${path}`);
  if (click !== undefined) await page.locator(click).first().click();
  await page.locator(ready).first().waitFor();
  return (await layoutProblems(page, parts)).map((problem) => `${path} ${parts}: ${problem}`);
}

for (const [width, height, hasTouch] of [
  [320, 640, true],
  [390, 760, true],
  [820, 1000, true],
  [1000, 800, false],
] as const) {
  for (const locale of ["en-US", "zh-CN"]) {
    test(`every view fits on ${width} × ${height} px (${locale})`, async () => {
      const user = await openUserPage(server.browser, server.url, {
        ...server.signedIn,
        viewport: { width, height },
        hasTouch,
        locale,
      });
      const problems: string[] = [];
      for (const view of views()) problems.push(...(await look(user.page, view)));
      assert.deepEqual([...problems, ...user.problems], []);
      await user.close();
    });
  }
}

/** Opens a page for touch that shows the session list beside the content. */
async function openTablet(path: string): Promise<UserPage> {
  return openUserPage(server.browser, `${server.url}${path}`, {
    ...server.signedIn,
    viewport: { width: 820, height: 1000 },
    hasTouch: true,
  });
}

test("beside an open request, the buttons of the session list keep the size of a finger", async () => {
  const user = await openTablet("/");
  const { page } = user;
  await page.locator(".badge").waitFor();
  const sizes = await page
    .locator(".sidebar-head .icon-button")
    .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().width));
  assert.deepEqual(sizes, [44, 44]);
  await user.close();
});

test("a check box with a long text keeps its size", async () => {
  const user = await openTablet("/settings/look");
  const box = await user.page.getByLabel(/single-key/).boundingBox();
  assert.deepEqual([box?.width, box?.height], [20, 20]);
  await user.close();
});

test("on a phone, the button to the latest message has one line", async () => {
  const user = await openUserPage(server.browser, `${server.url}/sessions/${session.sessionId}`, {
    ...server.signedIn,
    viewport: { width: 320, height: 640 },
    hasTouch: true,
  });
  const { page } = user;
  await page.locator(".ask-card").waitFor();
  await page.locator(".virtual-list").evaluate((list) => (list.scrollTop = 0));
  const box = await page.locator(".to-end").boundingBox();
  assert.ok(box !== null && box.height < 40, `height: ${box?.height}`);
  await user.close();
});

test("the line from a joined prompt ends in the middle of the bar of its run", async () => {
  const joined = await server.holdfast.sessions.create({ directory: server.folder });
  const run = await joined.prompt("ask Ready?; say first");
  const { items } = await waitFor(() => joined.asks({ open: true }), {
    describe: "a question",
    until: ({ items: asks }) => asks.length > 0,
  });
  await joined.prompt("say joins", { delivery: "steer" });
  await joined.answer(items[0]?.askId ?? "", { verdict: "allow", text: "yes" });
  await run.settled();
  const user = await openTablet(`/sessions/${joined.sessionId}/timeline`);
  const { page } = user;
  const end = await page.locator(".chart-joins circle").boundingBox();
  const bar = await page
    .locator(".prompt-bar:has(.segment-part) .bar-active")
    .first()
    .boundingBox();
  assert(end !== null && bar !== null);
  const distance = end.y + end.height / 2 - (bar.y + bar.height / 2);
  assert.ok(Math.abs(distance) < 2, `distance: ${distance} px`);
  await user.close();
});
