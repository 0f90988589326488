import assert from "node:assert/strict";
import { text as readText } from "node:stream/consumers";
import { after, before, test } from "node:test";
import type { Locator } from "playwright-core";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";
import { openUserPage } from "./support/user-page.ts";

// Long conversations and results, the printed page, drafts and the settings of the reader, in a real browser.

let server: SignedInServer;
let inSession: SignedInServer["inSession"];

before(async () => {
  server = await openSignedInServer();
  ({ inSession } = server);
});

after(() => server.close());

interface Held {
  readonly elements: number;
  readonly characters: number;
}

/** Size of the page, which decides how fast it is on every machine. */
const inPage = `({
  elements: document.querySelectorAll("*").length,
  characters: document.body.textContent.length,
})`;

test("a result of 5 MB is folded, expands step by step, and can be downloaded whole", () =>
  inSession(async ({ page, tab }, session) => {
    await (await session.prompt("print 50000; say behind it")).settled();
    const reader = await tab();
    await reader.goto(page.url());
    await reader.locator(".step", { hasText: "behind it" }).waitFor();
    const card = reader.locator(".call");
    await card.getByRole("button", { name: "print" }).click();
    const lines = async (): Promise<number> =>
      String(await card.locator(".output pre").last().textContent())
        .trimEnd()
        .split("\n").length;
    const sizes: Held[] = [];
    const look = async (): Promise<unknown> => sizes.push(await reader.evaluate<Held>(inPage));
    // The stream contains only the beginning. The total is known after a click on "Show more".
    assert.equal(await lines(), 14);
    await look();
    await card.getByText("Show more", { exact: true }).click();
    await card.getByText("Show 48,500 more lines").waitFor();
    assert.equal(await lines(), 1_500);
    await look();
    await card.getByText("Show 48,500 more lines").click();
    await card.getByText("Show 47,000 more lines").waitFor();
    await look();
    const coming = reader.waitForEvent("download");
    await card.getByText("Download").click();
    const file = await readText(await (await coming).createReadStream());
    assert.deepEqual(
      [file.length > 5_000_000 - 100, file.slice(0, 19), file.trimEnd().split("\n").length],
      [true, "[demo agent] line 1", 50_000],
    );
    await card.getByText("Show less").click();
    assert.equal(await lines(), 14);
    await look();
    assert.deepEqual(
      sizes.map(({ elements, characters }) => [elements < 300, Math.round(characters / 10_000)]),
      [
        [true, 0],
        [true, 15],
        [true, 30],
        [true, 0],
      ],
    );
  }));

test("a printed page contains the whole conversation without controls", () =>
  inSession(async ({ page, tab }, session) => {
    for (let count = 0; count < 30; count += 1) await session.prompt(`say answer ${count}`);
    await (await session.prompt("print 500; fail")).settled();
    await (await session.prompt("say the last one")).settled();
    const reader = await tab();
    await reader.goto(page.url());
    await reader.locator(".step", { hasText: "the last one" }).waitFor();
    assert.ok((await reader.locator(".step").count()) < 33);
    await reader.keyboard.press("Control+f");
    await reader.locator(".find-bar").waitFor();
    await reader.emulateMedia({ media: "print" });
    await reader.evaluate(`dispatchEvent(new Event("beforeprint"))`);
    assert.equal(await reader.locator(".step").count(), 33);
    assert.ok(await reader.locator(".step", { hasText: "answer 0" }).first().isVisible());
    for (const part of [".sidebar", ".dock", ".page-head button", ".prompt-again", ".find-bar"]) {
      assert.ok((await reader.locator(part).count()) > 0, part);
      assert.equal(await reader.locator(part).first().isVisible(), false, part);
    }
    assert.equal(await reader.locator(".link-button:visible, .copy-button:visible").count(), 0);
    await reader.evaluate(`dispatchEvent(new Event("afterprint"))`);
    await reader.close();
  }));

test("language and theme change at once, and a draft survives a reload", () =>
  inSession(async ({ page }) => {
    await page.locator("#composer").fill("half a thought");
    await page.getByText("Settings").click();
    await page.getByText("Dark", { exact: true }).click();
    assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
    await page.getByText("中文", { exact: true }).click();
    await page.getByRole("heading", { name: "设置" }).waitFor();
    await page.goBack();
    await page.reload();
    await page.getByPlaceholder("描述你要完成的任务").waitFor();
    assert.equal(await page.locator("#composer").inputValue(), "half a thought");
    assert.equal(await page.locator("html").getAttribute("lang"), "zh-CN");
    assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  }));

test("a long session opens at its end and does not scroll while the user reads further up", () =>
  inSession(async ({ page, tab }, session) => {
    for (let count = 0; count < 24; count += 1) {
      const words = "with some more words ".repeat(count % 7);
      await session.prompt(`say answer ${count} ${words}`);
    }
    const last = await session.prompt("say the last one");
    await last.settled();
    const reader = await tab();
    await reader.goto(page.url());
    const end = reader.locator(".step", { hasText: "the last one" });
    await end.waitFor();
    assert.ok(await isInSight(end));
    assert.ok((await reader.locator(".virtual-row").count()) < 49);
    await reader.locator(".virtual-list").hover();
    await reader.mouse.wheel(0, -1_500);
    await reader.locator(".to-end").waitFor();
    await reader.locator(".step", { hasText: "answer 12" }).waitFor();
    const read = reader.getByText(await visibleText(reader.locator(".step")), { exact: true });
    const before = await read.boundingBox();
    await (await session.prompt("say news")).settled();
    await page.locator(".step", { hasText: "news" }).waitFor();
    assert.deepEqual(await read.boundingBox(), before);
    await reader.locator(".to-end").click();
    assert.ok(await isInSight(reader.locator(".step", { hasText: "news" })));
  }));

async function visibleText(elements: Locator): Promise<string> {
  for (const part of await elements.all()) {
    if (await isInSight(part)) return String(await part.textContent()).trim();
  }
  throw new Error("nothing is in sight");
}

async function isInSight(part: Locator): Promise<boolean> {
  const box = await part.boundingBox();
  return box !== null && box.y > 0 && box.y + box.height < 800;
}

test("after an expired sign-in, the page returns to the session with the draft", async () => {
  const { folder, holdfast, url, link, browser } = server;
  const session = await holdfast.sessions.create({ directory: folder });
  const user = await openUserPage(browser, await link());
  const { page } = user;
  await page.locator(".sidebar").waitFor();
  const address = `${url}/sessions/${session.sessionId}`;
  await page.goto(address);
  await page.locator("#composer").fill("half a thought");
  await page.context().clearCookies();
  await page.reload();
  await page.getByText("holdfast link").waitFor();
  // Open the link in this tab. After the sign-in has expired once more, open it in another tab.
  await page.goto(await link());
  await page.locator("#composer").waitFor();
  assert.equal(page.url(), address);
  assert.equal(await page.locator("#composer").inputValue(), "half a thought");
  await page.context().clearCookies();
  await page.reload();
  await page.getByText("holdfast link").waitFor();
  const other = await user.tab();
  await other.goto(await link());
  await page.locator("#composer").waitFor();
  assert.equal(page.url(), address);
  assert.equal(await page.locator("#composer").inputValue(), "half a thought");
  await user.close();
});
