import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { openPlace } from "../../holdfast/test/server/lifecycle/server-process.ts";
import { fillDirectory, openUserPage } from "./support/user-page.ts";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";

// Several tabs, users and programs in one session, a lost network, and server restarts.

let server: SignedInServer;
let inSession: SignedInServer["inSession"];
let browser: Browser;
let holdfast: Holdfast;
let folder: string;
let signedIn: BrowserContextOptions;

before(async () => {
  server = await openSignedInServer();
  ({ inSession, browser, holdfast, folder, signedIn } = server);
});

after(() => server.close());

test("two browsers and a program in one session see each other's actions and keep their drafts", () =>
  inSession(async ({ page, send, status }, session) => {
    const other = await openUserPage(browser, page.url(), signedIn);
    await other.page.locator("#composer").fill("half a thought");
    await send("ask to append shared.txt yes; words 2000 every 20ms");
    await other.page.locator(".ask-card").waitFor();
    await session.prompt("say from the program");
    for (const each of [page, other.page]) {
      await each.locator(".queue-row", { hasText: "from the program" }).waitFor();
    }
    const [ask] = (await session.asks()).items;
    await session.answer(ask?.askId ?? "", { verdict: "allow" });
    for (const each of [page, other.page]) {
      await each.locator(".toast", { hasText: "allowed the request" }).waitFor();
      await each.locator(".ask-card").waitFor({ state: "detached" });
      await each.locator(".step", { hasText: "word-2" }).waitFor();
    }
    await session.cancel();
    await page
      .locator(".notice", { hasText: "cancelled 1 running and 1 queued prompts" })
      .waitFor();
    await page.locator(".queue-row").waitFor({ state: "detached" });
    await status.getByText("Idle").waitFor();
    assert.equal(await other.page.locator("#composer").inputValue(), "half a thought");
    await session.delete();
    await page.getByText("This session is deleted").waitFor();
    await other.page.getByText("Unsent draft: “half a thought”").waitFor();
    assert.deepEqual(other.problems, []);
    await other.close();
  }));

test("hidden tabs do not use up the browser's six connections", () =>
  inSession(async ({ page, send, tab, answer }) => {
    for (let count = 0; count < 6; count += 1) {
      const hidden = await tab();
      await hidden.addInitScript(
        'Object.defineProperty(document, "visibilityState", { get: () => "hidden" })',
      );
      await hidden.goto(page.url(), { waitUntil: "commit" });
    }
    await send("say still here");
    await answer.getByText("still here").waitFor();
    const last = page.context().pages().at(-1);
    await last?.locator(".composer").waitFor();
  }));

test("a lost network is noticed at once, and prompts sent meanwhile arrive when it is back", () =>
  inSession(async ({ page, send, tab, answer }, session) => {
    const other = await holdfast.sessions.create({ directory: folder, title: "Opened offline" });
    await (await other.prompt("say opened")).settled();
    const beside = await tab();
    await beside.goto(page.url());
    await beside.locator("#composer").fill("written beside");
    await page.locator(".session-link", { hasText: "Opened offline" }).waitFor();
    await page.context().setOffline(true);
    await page.locator(".connection-banner").waitFor();
    await send("say sent offline");
    await page.locator(".prompt.outgoing", { hasText: "when the server is back" }).waitFor();
    await page.locator(".session-link", { hasText: "Opened offline" }).click();
    await page.locator(".page-message", { hasText: "Loading" }).waitFor();
    await page.context().setOffline(false);
    await answer.getByText("opened").waitFor();
    await page.goBack();
    await answer.getByText("sent offline").waitFor();
    assert.equal((await session.prompts()).items.length, 1);
    await beside.reload();
    await beside.locator("#composer").waitFor();
    assert.equal(await beside.locator("#composer").inputValue(), "written beside");
  }));

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
