import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { clickInRow } from "./support/click-in-row.ts";
import { fillDirectory, openUserPage } from "./support/user-page.ts";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";

// Prompts in a real browser, with a real server and the demo agent.

let server: SignedInServer;
let inSession: SignedInServer["inSession"];
let browser: Browser;
let folder: string;
let signedIn: BrowserContextOptions;

before(async () => {
  server = await openSignedInServer();
  ({ inSession, browser, folder, signedIn } = server);
});

after(() => server.close());

test("a user starts a session and sees the answer stream in", async () => {
  const user = await openUserPage(browser, server.url, signedIn);
  const { page, answer } = user;
  await fillDirectory(page, folder);
  await user.send("words 12 every 20ms; append story.txt once; say **all** done");
  await page.locator(".step", { hasText: "word-3" }).waitFor();
  await answer.getByText("all done").waitFor();
  assert.equal(await answer.locator("strong").textContent(), "all");
  assert.equal(await page.locator(".call-status").textContent(), "done");
  await user.status.getByText("Idle").waitFor();
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("queued prompts can be moved with keys, edited and withdrawn, and run in the new order", () =>
  inSession(async ({ page, send, toast }, session) => {
    await send("stall");
    await page.locator(".page-head .stop").waitFor();
    for (const name of ["one", "two", "three"]) await send(`say ${name}`);
    const rows = page.locator(".queue-row");
    await rows.nth(2).waitFor();
    await rows.nth(2).focus();
    await page.keyboard.press("Alt+ArrowUp");
    await toast.getByText("Moved to position 2").waitFor();
    await clickInRow(page.locator(".queue-row", { hasText: "say two" }), "Withdraw");
    await toast.getByText("Prompt withdrawn").waitFor();
    await rows.nth(2).waitFor({ state: "detached" });
    await clickInRow(rows.nth(1), "Edit");
    await page.locator(".queue-edit textarea").fill("say drei");
    await page.keyboard.press("Enter");
    await page.locator(".queue-text", { hasText: "say drei" }).waitFor();
    const { active } = await session.get();
    assert.ok(active?.kind === "run");
    await session.promptById(active.startedBy).withdraw();
    await page.locator(".step", { hasText: "drei" }).waitFor();
    await page.locator(".prompt.cancelled").getByText("Send again").first().waitFor();
    const said = await page
      .locator(".prompt .note, .prompt-text")
      .evaluateAll((all) => all.map((each) => String(each.textContent)));
    assert.deepEqual(said, [
      "cancelled",
      "stall",
      "cancelled · the prompt never started, and the model did not see it",
      "say two",
      "say one",
      "say drei",
    ]);
  }));
