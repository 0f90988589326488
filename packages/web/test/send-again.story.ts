import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";

// Failed and stopped prompts that are sent again, in a real browser with the demo agent.

let server: SignedInServer;

before(async () => {
  server = await openSignedInServer();
});

after(() => server.close());

test("a failed prompt is sent again with its file, or edited with its file in the composer", () =>
  server.inSession(async ({ page, send }, session) => {
    await page.locator("input[type=file]").setInputFiles({
      name: "notes.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("notes"),
    });
    await page.locator(".upload", { hasText: "5 B" }).waitFor();
    await send("fail badKey");
    const failed = page.locator(".prompt.failed");
    await failed.getByText("Send again").click();
    await failed.nth(1).waitFor();
    const sent = (await session.prompts()).items;
    assert.deepEqual(
      sent.map(({ text, attachments }) => [text, attachments.map(({ name }) => name)]),
      sent.map(() => ["fail badKey", ["notes.txt"]]),
    );
    assert.equal(sent.length, 2);
    await failed.nth(0).getByText("Edit and send").click();
    await page.locator(".upload", { hasText: "notes.txt" }).waitFor();
    assert.equal(await page.locator("#composer").inputValue(), "fail badKey");
  }));

test("the message after Esc puts the stopped prompt back in the queue", () =>
  server.inSession(async ({ page, send, toast }, session) => {
    await send("stall");
    await page.locator(".page-head .stop").waitFor();
    await session.hold();
    await page.keyboard.press("Escape");
    await toast.getByRole("button", { name: "Put back in the queue" }).click();
    await page.locator(".queue-row", { hasText: "stall" }).waitFor();
    await session.cancel();
  }));
