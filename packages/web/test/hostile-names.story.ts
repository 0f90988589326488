import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";
import { openUserPage } from "./support/user-page.ts";

let server: SignedInServer;

before(async () => {
  server = await openSignedInServer();
});

after(() => server.close());

/** Returns the texts on the page that contain a character which reverses the direction of text. */
function reversed(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[
    document.title,
    ...document.body.innerText.split("\\n"),
    ...[...document.querySelectorAll("[title]")].map(({ title }) => title),
    ...[...document.querySelectorAll("[aria-label]")].map(({ ariaLabel }) => ariaLabel),
  ].filter((text) => text.includes("\\u202e"))`);
}

test("titles and directories with hidden characters are shown with codes in every view", async () => {
  const { browser, holdfast, folder, signedIn, url } = server;
  const directory = join(folder, "part\u202eevil");
  mkdirSync(directory);
  const session = await holdfast.sessions.create({ directory, title: "ti\u202etle" });
  await session.prompt("child { say hello }; ask Ready?");
  const user = await openUserPage(browser, `${url}/sessions/${session.sessionId}`, signedIn);
  const { page } = user;
  const found: string[] = [];
  const look = async (view: string, ready: string): Promise<void> => {
    await page.locator(ready, { hasText: "⟨U+202E⟩" }).first().waitFor();
    found.push(...(await reversed(page)).map((text) => `${view}: ${text}`));
  };
  await page.locator(".ask-card").waitFor();
  await look("session", ".page-head h1");
  await look("sidebar", ".session-title");
  await page.keyboard.press("Control+k");
  await look("palette", ".palette-label");
  await page.keyboard.press("Escape");
  await page.goto(`${url}/timeline`);
  await look("timeline", ".label-title");
  await page.goto(url);
  await look("start page", ".home-title");
  await page.locator(".home-bar .field input").fill(folder);
  await page.getByRole("button", { name: "Browse…" }).click();
  await look("project picker", ".palette-detail");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Escape");
  await page.locator(".session-list, .sidebar").first().focus();
  await page.keyboard.press("s");
  await page.locator(".search-dialog input:focus").waitFor();
  await page.keyboard.type("hello");
  await look("search", ".search-dialog .hit-title");
  assert.deepEqual([...found, ...user.problems], []);
  await user.close();
});
