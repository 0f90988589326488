import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Holdfast } from "@holdfast/sdk";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { openUserPage } from "./support/user-page.ts";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";

// Navigation: with the keyboard, on a phone, and among many sessions.

let server: SignedInServer;
let browser: Browser;
let holdfast: Holdfast;
let folder: string;
let signedIn: BrowserContextOptions;

before(async () => {
  server = await openSignedInServer();
  ({ browser, holdfast, folder, signedIn } = server);
});

after(() => server.close());

test("on a phone nothing is wider than the screen, touch targets are large, and a tap opens the list", async () => {
  const session = await holdfast.sessions.create({ directory: folder, title: "On the phone" });
  await session.prompt("words 30; stall");
  await session.prompt(`say ${"a long prompt that waits ".repeat(8)}`);
  const { page, problems, close } = await openUserPage(
    browser,
    `${server.url}/sessions/${session.sessionId}`,
    { ...signedIn, viewport: { width: 360, height: 700 }, hasTouch: true, isMobile: true },
  );
  await page.locator(".queue-row").waitFor();
  assert.equal(await page.evaluate("document.scrollingElement.scrollWidth"), 360);
  for (const part of [".composer", ".queue-panel", ".page-head", ".step"]) {
    const box = await page.locator(part).last().boundingBox();
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 360, `${part} fits`);
  }
  const small = await page
    .locator(".page-head button, .dock button, .call-head")
    .evaluateAll((all) => all.filter((each) => each.clientHeight > 0 && each.clientHeight < 34))
    .then((found) => found.length);
  assert.equal(small, 0, "fingers can hit everything");
  const viewport = await page.locator("meta[name=viewport]").getAttribute("content");
  assert.doesNotMatch(viewport ?? "", /user-scalable|maximum-scale/, "everybody may zoom");
  await page.getByLabel("Menu").focus();
  await page.keyboard.press("Enter");
  await page.locator("main[inert]").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("main:not([inert])").waitFor();
  await page.getByLabel("Menu").and(page.locator(":focus")).waitFor();
  await page.getByLabel("Timeline", { exact: true }).tap();
  await page.locator(".prompt-bar").first().waitFor();
  const hits = await page.evaluate<readonly boolean[]>(`
    [...document.querySelectorAll(".prompt-bar")].map((bar) => {
      const { top, height, left } = bar.getBoundingClientRect();
      const isHit = (by) => bar.contains(document.elementFromPoint(left + 2, top + height / 2 + by));
      return isHit(-21) && isHit(21);
    })
  `);
  assert.deepEqual(hits, [true, true], "bars are 44 pixels high to a finger");
  await page.getByLabel("Menu").tap();
  await page.locator(".session-link", { hasText: "On the phone" }).tap();
  await page.locator(".page-head .stop").tap();
  await page
    .locator(".toast", { hasText: "Cancelled the current run. 1 queued prompt stays" })
    .waitFor();
  assert.deepEqual(problems, []);
  await close();
});

test("everything works with the keyboard only", async () => {
  const session = await holdfast.sessions.create({ directory: folder, title: "Found by typing" });
  const user = await openUserPage(browser, server.url, signedIn);
  const { page } = user;
  const { keyboard } = page;
  await page.locator(".session-link", { hasText: "Found by typing" }).waitFor();
  await keyboard.press("Control+k");
  await keyboard.type("found by");
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "Found by typing" }).waitFor();
  await keyboard.type("ask to append keys.txt yes; say with keys");
  await keyboard.press("Enter");
  await page.locator(".ask-card").waitFor();
  await page.locator(".virtual-list").focus();
  await page.locator("[data-key=allow]").waitFor();
  await keyboard.press("y");
  await user.answer.getByText("with keys").waitFor();
  await keyboard.press("?");
  const help = page.getByRole("heading", { name: "Keyboard shortcuts" });
  await help.waitFor();
  await keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await keyboard.press("i");
  await keyboard.press("ArrowUp");
  assert.equal(
    await page.locator("#composer").inputValue(),
    "ask to append keys.txt yes; say with keys",
  );
  await keyboard.press("Control+a");
  await keyboard.type("/rename By keys");
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "By keys" }).waitFor();
  assert.equal((await session.get()).title, "By keys");
  await holdfast.sessions.create({ directory: folder, title: "The first" });
  await page.locator(".session-link", { hasText: "The first" }).waitFor();
  await page.locator(".virtual-list").focus();
  await keyboard.press("k");
  await page.getByRole("heading", { name: "The first" }).waitFor();
  await keyboard.press("j");
  await page.getByRole("heading", { name: "By keys" }).waitFor();
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("the list filters many sessions by status, and typed text is searched for once", async () => {
  const asking = await holdfast.sessions.create({ directory: folder, title: "Alpha asks" });
  await asking.prompt("ask Which one?");
  await Promise.all(
    Array.from({ length: 210 }, (_, place) =>
      holdfast.sessions.create({ directory: folder, title: `Alpha ${place}` }),
    ),
  );
  const { page, problems, close } = await openUserPage(browser, server.url, signedIn);
  const rows = page.locator(".session-link");
  await rows.getByText("Alpha 1", { exact: false }).first().waitFor();
  assert.ok((await rows.count()) < 80, "only those in sight are in the page");
  await page.getByLabel("Filter sessions").selectOption("Needs you");
  await rows.getByText("Alpha asks").waitFor();
  await rows.getByText("Alpha 1", { exact: false }).waitFor({ state: "detached" });
  await asking.cancel();
  await rows.getByText("Alpha asks").waitFor({ state: "detached" });
  await page.getByLabel("Filter sessions").selectOption("All");
  const asked: string[] = [];
  page.on("request", (request) => {
    const search = new URL(request.url()).searchParams.get("search");
    if (search !== null) asked.push(search);
  });
  const found = page.waitForResponse((response) => response.url().includes("search=asks"));
  await page.evaluate(`{
    const field = document.querySelector("#session-search");
    for (const letter of "pha asks") {
      field.value += letter;
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }
  }`);
  await found;
  await rows.getByText("Alpha asks").waitFor();
  assert.deepEqual([asked, await rows.count()], [["asks"], 1]);

  // The timeline of the server comes from one request, and does not page through idle sessions.
  const queries = new Set<string>();
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === "/v1/sessions") queries.add([...new Set(searchParams.keys())].join(" "));
  });
  await page.goto(`${server.url}/timeline`);
  await page
    .locator(".chart-foot")
    .getByText(/sessions?: all with unfinished work/)
    .waitFor();
  assert.deepEqual([...queries].toSorted(), ["archived limit"]);
  assert.deepEqual(problems, []);
  await close();
});
