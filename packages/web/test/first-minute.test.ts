import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { startModelServer } from "../../../gauntlet/model-server/model-server.ts";
import type { ModelServer } from "../../../gauntlet/model-server/model-server.ts";
import { says } from "../../../gauntlet/model-server/script.ts";
import { openUserPage } from "./support/user-page.ts";
import { openWebServer } from "./support/web-server.ts";
import type { WebServer } from "./support/web-server.ts";

let server: WebServer;
let model: ModelServer;

before(async () => {
  model = await startModelServer(() => says("Hello from the model."));
  server = await openWebServer();
});

after(async () => {
  await server.close();
  await model.close();
});

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let count = 0; count < 60; count += 1) {
    if (await page.locator(`${selector}:focus`).count()) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not reach ${selector}`);
}

test("a user with an empty data folder connects a model and gets an answer, with the keyboard only", async () => {
  const user = await openUserPage(server.browser, await server.link());
  const { page } = user;
  const { keyboard } = page;
  const directory = page.getByLabel("Directory", { exact: true });
  const option = (text: string): Locator =>
    page.locator(".palette [role=option]").filter({ has: page.getByText(text, { exact: true }) });
  await page.locator(".home-bar .field input:valid").waitFor();
  assert.equal(await directory.inputValue(), process.cwd(), "begins where the server was started");
  await page.locator(".connect-tile").first().waitFor();
  await page.locator(".examples").waitFor();
  await tabTo(page, ".connect-tiles li:last-child .connect-tile");
  await keyboard.press("Enter");
  await keyboard.type("lab");
  await keyboard.press("Tab");
  await keyboard.press("Tab");
  await keyboard.type(model.addresses.openaiChat);
  await keyboard.press("Tab");
  await keyboard.type("usual");
  await keyboard.press("Enter");
  await page.locator(".toast", { hasText: "lab works" }).waitFor();
  await page.locator(".connect-tiles").waitFor({ state: "detached" });
  // The examples are scripts of the demo agent, which no longer answers.
  await page.locator(".examples").waitFor({ state: "detached" });
  await tabTo(page, "#composer");
  await tabTo(page, ".home-bar .button.small");
  await keyboard.press("Enter");
  await keyboard.type(server.folder);
  await keyboard.press("Enter");
  await page.locator(".palette-foot", { hasText: server.folder }).waitFor();
  await option("..").waitFor();
  await tabTo(page, ".palette-foot .primary");
  await keyboard.press("Enter");
  await page.locator(".palette").waitFor({ state: "detached" });
  assert.equal(await directory.inputValue(), server.folder);
  // No path has to be typed: a found repository is chosen by its name, and a folder by browsing.
  await keyboard.press("Enter");
  await option(process.cwd()).waitFor();
  await keyboard.type(basename(process.cwd()));
  await keyboard.press("Enter");
  await page.locator(".palette").waitFor({ state: "detached" });
  assert.equal(await directory.inputValue(), process.cwd());
  await keyboard.press("Enter");
  await option("examples").waitFor();
  await keyboard.type("examples");
  await keyboard.press("Enter");
  await page.locator(".palette-foot .primary", { hasText: "examples" }).waitFor();
  await tabTo(page, ".palette-foot .primary");
  await keyboard.press("Enter");
  await page.locator(".palette").waitFor({ state: "detached" });
  assert.equal(await directory.inputValue(), join(process.cwd(), "examples"));
  await keyboard.press("Shift+Tab");
  await tabTo(page, "#composer");
  await keyboard.type("Say hello");
  await keyboard.press("Enter");
  await user.answer.getByText("Hello from the model.").waitFor();
  assert.deepEqual(user.problems, []);
  await user.close();
});
