import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { SessionHandle } from "@holdfast/sdk";
import type { Page } from "playwright-core";
import { layoutProblems } from "./support/layout.ts";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";
import { openUserPage } from "./support/user-page.ts";

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
