import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { isInReach } from "./support/layout.ts";
import { openScriptedServer } from "./support/scripted-server.ts";
import type { ScriptedServer, ToolCalls } from "./support/scripted-server.ts";

// Details of permission requests in a real browser that a person must see before an answer.

const commands: Readonly<Record<string, string>> = {
  hidden: "rm -rf src\r: \u001b]0;x\u0007\n@@ -1 +1 @@\n\\end",
  slow: "sleep 0.3",
  long: `: ${"x".repeat(70_000)}; rm -rf src`,
};

let server: ScriptedServer;

before(async () => {
  server = await openScriptedServer(script);
});

after(() => server.close());

function script(prompt: string): readonly ToolCalls[] {
  const [verb = "", name = ""] = prompt.split(" ");
  if (verb === "run") return [[{ name: "shell", input: { command: commands[name] } }]];
  if (verb === "write") {
    const content = `${"word ".repeat(1_000)}the end`;
    return [[{ name: "write", input: { path: "long-line.txt", content } }]];
  }
  if (verb !== "fetch") return [];
  const names = ["one", "two", "three"];
  return [names.map((each) => ({ name: "fetch", input: { url: `https://${each}.invalid/` } }))];
}

test("a command is shown as plain text with its control characters, even if it looks like a diff", async () => {
  const { user, session } = await server.openSession();
  await user.send("run hidden");
  const preview = user.page.locator(".ask-preview");
  await preview.waitFor();
  assert.equal(
    await preview.locator("pre").textContent(),
    "rm -rf src⟨U+000D⟩: ⟨U+001B⟩]0;x⟨U+0007⟩\n@@ -1 +1 @@\n\\end",
  );
  assert.equal(await preview.locator(".diff").count(), 0);
  await session.cancel();
  await user.close();
});

test("a command that is too long for the stream says so, and can be read whole", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  await user.send("run long");
  const preview = page.locator(".ask-preview");
  await preview.getByText("10,014 more characters are not loaded yet").waitFor();
  await preview.getByRole("button", { name: "Show more" }).click();
  await preview.locator("pre", { hasText: /; rm -rf src$/ }).waitFor();
  assert.equal(await preview.getByText("not loaded yet").count(), 0);
  await session.cancel();
  await user.close();
});

test("a long line of a diff and its missing line break are shown", async () => {
  const { user, session } = await server.openSession();
  await user.send("write");
  const card = user.page.locator(".ask-card");
  await card.getByText("No line break at the end of the file").waitFor();
  await card.getByRole("button", { name: "show 3,007 more characters" }).click();
  await card.locator("tr.add", { hasText: "word the end" }).waitFor();
  await session.cancel();
  await user.close();
});

test("a second click at the place of an answered request does not answer the next one", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  await user.send("fetch");
  const cards = page.locator(".ask-card");
  await cards.nth(2).waitFor();
  const allow = cards.nth(0).getByRole("button", { name: "Allow once" });
  await allow.click();
  await cards.nth(2).waitFor({ state: "detached" });
  const box = await allow.boundingBox();
  assert(box !== null);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  assert.equal(await allow.getAttribute("aria-disabled"), "true");
  assert.equal((await session.asks({ open: true })).items.length, 2);
  // After a moment the button works.
  await allow.click();
  await cards.nth(1).waitFor({ state: "detached" });
  await session.cancel();
  await user.close();
});

test("Allow all allows every request once, and is offered only after they have been visible for a second", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  await page.evaluate(`{
    const times = {};
    window.visibleFor = () => times.all - times.cards;
    const look = () => {
      if (document.querySelectorAll(".ask-card").length === 3) times.cards ??= performance.now();
      if (document.querySelector(".ask-all") !== null) times.all ??= performance.now();
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  }`);
  await user.send("fetch");
  await page.getByRole("button", { name: "Allow all 3 once" }).click();
  assert.ok((await page.evaluate<number>("window.visibleFor()")) > 900);
  await page.locator(".step", { hasText: "Done." }).waitFor();
  const asks = (await session.asks()).items;
  assert.deepEqual(
    asks.map(({ closed, answer }) => [
      closed?.resolution.kind === "answered" ? closed.resolution.verdict : null,
      answer?.remember ?? null,
    ]),
    asks.map(() => ["allow", null]),
  );
  assert.equal(asks.length, 3);
  await user.close();
});

test("a letter key answers a request only while its button can be seen", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  await user.send("fetch");
  await page.locator(".ask-card [data-key=allow] kbd").waitFor();
  await page.locator(".virtual-list").focus();
  await page.evaluate(`{
    const cover = document.createElement("div");
    cover.id = "cover";
    Object.assign(cover.style, { position: "fixed", inset: "0", zIndex: "9999" });
    document.body.append(cover);
  }`);
  await page.keyboard.press("y");
  await page.evaluate(`document.getElementById("cover").remove()`);
  assert.equal((await session.asks({ open: true })).items.length, 3);
  await page.locator(".ask-card [data-key=allow] kbd").waitFor();
  await page.keyboard.press("y");
  await waitFor(() => session.asks({ open: true }), {
    describe: "an answer by key",
    until: ({ items }) => items.length === 2,
  });
  await session.cancel();
  await user.close();
});

test("requests that open while the page loads the list of requests stay on the page", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  const { session: other, user: otherUser } = await server.openSession();
  await other.prompt("run slow");
  await waitFor(() => other.asks({ open: true }), {
    describe: "a request in another session",
    until: ({ items }) => items.length === 1,
  });
  const read = Promise.withResolvers<void>();
  const late = Promise.withResolvers<void>();
  await page.route(/\/v1\/asks\b/, async (route) => {
    const response = await route.fetch();
    read.resolve();
    await late.promise;
    await route.fulfill({ response });
  });
  await page.reload();
  await read.promise;
  await session.prompt("fetch");
  await page.locator(".ask-card").nth(2).waitFor();
  late.resolve();
  // The request of the other session is known from the list only.
  await page.locator(".badge", { hasText: "4 requests" }).waitFor();
  assert.equal(await page.locator(".ask-card").count(), 3);
  await session.cancel();
  await other.cancel();
  await otherUser.close();
  await user.close();
});

test("in Chinese, the request for a command and the time that it took are written in Chinese", async () => {
  const { user, session } = await server.openSession({ locale: "zh-CN" });
  const { page } = user;
  await session.prompt("run slow");
  const card = page.locator(".ask-card", { hasText: "是否允许执行 sleep 0.3？" });
  await card.getByRole("button", { name: "允许一次" }).click();
  await page.locator(".call-time", { hasText: /^[\d.]+ (?:毫秒|秒)$/ }).waitFor();
  await user.close();
});

test("on a phone, Allow and Deny of the first of several requests are in reach", async () => {
  const { user, session } = await server.openSession({ hasTouch: true });
  const { page } = user;
  await page.setViewportSize({ width: 390, height: 640 });
  await user.send("fetch");
  const first = page.locator(".ask-card").first();
  await page.locator(".ask-card").nth(2).waitFor({ state: "attached" });
  for (const name of ["Allow once", "Deny"]) {
    const button = first.getByRole("button", { name });
    await waitFor(() => isInReach(button), { describe: `${name} in reach`, until: Boolean });
  }
  await session.cancel();
  await user.close();
});
