import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { openScriptedServer } from "./support/scripted-server.ts";
import type { ScriptedServer } from "./support/scripted-server.ts";

// A page that was loaded over plain http from another machine: the browser hides some of its functions from it.

let server: ScriptedServer;

before(async () => {
  server = await openScriptedServer((prompt) =>
    prompt === "write"
      ? [[{ name: "write", input: { path: "a.txt", content: "one\n" } }]]
      : [[{ name: "list", input: {} }]],
  );
});

after(() => server.close());

/** Removes what browsers offer only on https and on loopback addresses. */
async function makeInsecure(page: Page): Promise<void> {
  await page.addInitScript({
    content: `
      delete Crypto.prototype.randomUUID;
      Object.defineProperty(Navigator.prototype, "clipboard", { get: () => undefined });
    `,
  });
  await page.reload();
}

test("a comment on a line is kept", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  await makeInsecure(page);
  await session.setMode("acceptEdits");
  await (await session.prompt("write")).settled();
  await page.goto(`${server.url}/sessions/${session.sessionId}/changes`);
  await page.locator("tr.add .line-button").click();
  await page.getByLabel("Comment", { exact: true }).fill("Say two");
  await page.getByRole("button", { name: "Add comment" }).click();
  await page.locator(".line-comment", { hasText: "Say two" }).waitFor();
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("a copy button copies the text and keeps the focus", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  await makeInsecure(page);
  await (await session.prompt("list the files")).settled();
  await page.locator(".call-head").click();
  const copy = page.locator(".output .copy-button").last();
  await copy.focus();
  await copy.press("Enter");
  await page.getByLabel("Copied").first().waitFor();
  assert.equal(await page.locator(".copy-button:focus").count(), 1);
  const composer = page.locator("#composer");
  await composer.focus();
  await page.keyboard.press("Control+v");
  await waitFor(() => composer.inputValue(), {
    describe: "the copied text",
    until: (text) => text !== "",
  });
  assert.match(await composer.inputValue(), /a\.txt/);
  assert.deepEqual(user.problems, []);
  await user.close();
});
