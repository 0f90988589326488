import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import type { Browser } from "playwright-core";
import { openPlace } from "../../holdfast/test/server/lifecycle/server-process.ts";
import { fillDirectory, openUserPage } from "./support/user-page.ts";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";

// Several tabs, users and programs in one session, and server restarts.

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

test("the page recovers after the server is killed during an answer, and reports a shutdown (P1, P2, T2, M9)", async () => {
  const place = openPlace();
  try {
    const first = await place.start();
    const { port } = new URL(first.url);
    const token = (await readFile(join(place.data, "token"), "utf8")).trim();
    const { url } = await connect({ url: first.url, token }).link();
    const user = await openUserPage(browser, url);
    const { page } = user;
    await fillDirectory(page, place.folder);
    await user.send("say before; words 60 every 40ms; say after");
    await page.locator(".step", { hasText: "word-5" }).waitFor();
    first.process.kill("SIGKILL");
    await first.ended;
    await page.locator(".connection-banner").waitFor();
    await user.send("say sent while it was away");
    await page.locator(".prompt.outgoing").waitFor();
    const second = await place.start("--port", port);
    await page.locator(".connection-banner").waitFor({ state: "detached" });
    await page.locator(".step", { hasText: "sent while it was away" }).waitFor();
    assert.deepEqual(await page.locator(".prompt .prompt-text").allTextContents(), [
      "say before; words 60 every 40ms; say after",
      "say sent while it was away",
    ]);
    assert.equal(await page.locator(".step", { hasText: "[demo agent] before" }).count(), 1);
    assert.equal(await page.locator(".step", { hasText: "word-60" }).count(), 1);
    assert.equal(await page.locator(".notice.resumed").count(), 1);
    await user.send("stall");
    await page.locator(".page-head .stop").waitFor();
    await connect({ url: second.url, token }).stop({ deadline: 60_000 });
    await page.locator(".connection-banner", { hasText: "is shutting down" }).waitFor();
    await user.send("say sent while it stopped");
    await page.locator(".prompt.outgoing", { hasText: "when the server is back" }).waitFor();
    await page.locator(".page-head .stop").click();
    await second.ended;
    await place.start("--port", port);
    await page.locator(".connection-banner").waitFor({ state: "detached" });
    await page.locator(".step", { hasText: "sent while it stopped" }).waitFor();
    assert.deepEqual(user.problems, []);
    await user.close();
  } finally {
    await place.close();
  }
});
