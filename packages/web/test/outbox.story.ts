import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { openScriptedServer } from "./support/scripted-server.ts";
import type { ScriptedServer } from "./support/scripted-server.ts";

// Prompts that wait in the page until the server accepts them, in a real browser.

let server: ScriptedServer;

before(async () => {
  server = await openScriptedServer(() => []);
});

after(() => server.close());

/** Milliseconds until the page sends a prompt again. */
const sendAgainAfter = 5_000;

/** Answers every new prompt with this status. */
async function answerPrompts(page: Page, status: number, code: string): Promise<void> {
  const json = {
    error: { code, message: `the test answers ${code}`, requestId: "1", details: {} },
  };
  await page.unroute("**/prompts");
  // Longer than the SDK waits, so that the page itself has to send the prompt again.
  const headers = { "retry-after": "120" };
  await page.route("**/prompts", (route) => route.fulfill({ status, json, headers }));
}

async function sendWhileUnavailable(page: Page, text: string): Promise<void> {
  await answerPrompts(page, 503, "unavailable");
  await page.clock.install();
  const answered = page.waitForResponse("**/prompts");
  await page.locator("#composer").fill(text);
  await page.keyboard.press("Enter");
  await answered;
  await page.locator(".prompt.outgoing", { hasText: text }).waitFor();
}

/** Waits until the draft has the text. */
function draft(page: Page, expected: string): Promise<string> {
  return waitFor(() => page.locator("#composer").inputValue(), {
    describe: `the draft "${expected}"`,
    until: (text) => text === expected,
  });
}

test("a prompt that is refused when it is sent again is added to the draft, even after a reload", async () => {
  const { user } = await server.openSession();
  const { page } = user;
  await sendWhileUnavailable(page, "say one");
  await page.locator("#composer").fill("half a thought");
  await answerPrompts(page, 400, "badRequest");
  await page.clock.fastForward(sendAgainAfter);
  await draft(page, "half a thought\n\nsay one");
  await user.toast.getByText("the test answers badRequest").waitFor();
  await page.locator("#composer").fill("");
  await sendWhileUnavailable(page, "say two");
  await answerPrompts(page, 400, "badRequest");
  await page.reload();
  await draft(page, "say two");
  assert.equal(await page.locator(".prompt.outgoing").count(), 0);
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("a prompt that waits while the sign-in expires is sent after the next sign-in", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  await sendWhileUnavailable(page, "say kept");
  await page.unroute("**/prompts");
  await page.context().clearCookies();
  const refused = page.waitForResponse("**/prompts");
  await page.clock.fastForward(sendAgainAfter);
  assert.equal((await refused).status(), 401);
  await page.getByText("holdfast link").waitFor();
  await page.goto(await server.link());
  await page.locator(".step", { hasText: "Done." }).waitFor();
  const { items } = await session.prompts();
  assert.deepEqual(
    items.map(({ text }) => text),
    ["say kept"],
  );
  assert.deepEqual(user.problems, []);
  await user.close();
});
