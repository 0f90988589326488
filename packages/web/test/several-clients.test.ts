import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Holdfast } from "@holdfast/sdk";
import type { Browser } from "playwright-core";
import { openUserPage } from "./support/user-page.ts";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";

// Several tabs in one session, and a browser that is not signed in.

let server: SignedInServer;
let inSession: SignedInServer["inSession"];
let browser: Browser;
let holdfast: Holdfast;

before(async () => {
  server = await openSignedInServer();
  ({ inSession, browser, holdfast } = server);
});

after(() => server.close());

test("a permission answered in one tab disappears in the other, with a toast (R4)", () =>
  inSession(async ({ page, send, tab, answer }) => {
    await send("ask to append asked.txt yes; say thanks");
    await page.locator(".ask-card").waitFor();
    const other = await tab();
    await other.goto(page.url());
    await other.locator(".ask-card").getByText("Allow once", { exact: true }).click();
    await page.locator(".toast", { hasText: "allowed the request" }).waitFor();
    await page.locator(".ask-card").waitFor({ state: "detached" });
    await answer.getByText("thanks").waitFor();
    assert.match(String(await page.locator(".ask-record").textContent()), /allowed by you/);
  }));

test("a browser that is not signed in shows how to get a link, and a used link is reported", async () => {
  const link = await server.link();
  await (await openUserPage(browser, link)).close();
  const { page, close } = await openUserPage(browser, link);
  await page.getByText("This link was already used").waitFor();
  await page.getByText("holdfast link").waitFor();
  await close();
  const user = await openUserPage(browser, await server.link());
  await user.page.getByText("What should the agent do?").waitFor();
  const tokens = await holdfast.tokens.list();
  const newest = tokens.toSorted((left, right) => left.createdAt - right.createdAt).at(-1);
  await holdfast.tokens.revoke(newest?.tokenId ?? "");
  await user.page.getByText("This browser is not signed in").waitFor();
  await user.close();
});
