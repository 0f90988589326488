import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { clickInRow } from "./support/click-in-row.ts";
import { fillDirectory, openUserPage } from "./support/user-page.ts";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";

// Prompts in a real browser, with a real server and the demo agent.

let server: SignedInServer;
let inSession: SignedInServer["inSession"];
let browser: Browser;
let folder: string;
let holdfast: SignedInServer["holdfast"];
let signedIn: BrowserContextOptions;

before(async () => {
  server = await openSignedInServer();
  ({ inSession, browser, folder, signedIn, holdfast } = server);
});

after(() => server.close());

test("a steer explains its effect and joins the active run without stopping it", () =>
  inSession(async ({ page, send, answer }) => {
    await send("ask Ready?; say first");
    await page.locator(".ask-card").waitFor();
    await page.getByText("Steer", { exact: true }).click();
    await page.getByText("Joins the current run at its next step").waitFor();
    await send("say steered");
    await send("say waits");
    await page.locator(".queue-row", { hasText: "say waits" }).waitFor();
    // The steered prompt comes first and has no position in the queue.
    assert.deepEqual(await page.locator(".queue-row").allTextContents(), [
      "say steeredjoins the current run at its next step",
      "1say waits",
    ]);
    await page.getByLabel("Your answer").fill("yes");
    await page.keyboard.press("Enter");
    await page.locator(".prompt .note", { hasText: "joined a run in progress" }).waitFor();
    await page.locator(".step", { hasText: "first" }).waitFor();
    await page.locator(".step", { hasText: "steered" }).waitFor();
    await answer.getByText("waits").waitFor();
  }));

test("the agent's own command is listed beside the page's commands and runs", () =>
  inSession(async ({ page, send, answer }) => {
    await page.locator("#composer").fill("/c");
    const offered = page.locator(".command-list code");
    await offered.getByText("/compact").waitFor();
    assert.deepEqual(await offered.allTextContents(), ["/compact", "/cancel", "/clear"]);
    await send("/compact the names");
    await answer.getByText("there is no conversation to summarize").waitFor();
    assert.deepEqual(await page.locator(".prompt-text").allTextContents(), [
      "Summarize the conversation so far. Keep above all: the names",
    ]);
  }));

test("/cancel covers the run and the queue; toast and conversation list exactly the covered prompts (C2)", () =>
  inSession(async ({ page, send, toast, status }) => {
    await send("words 2000 every 20ms");
    await page.locator(".step", { hasText: "word-2" }).waitFor();
    await send("say one");
    await send("say two");
    await page.locator(".queue-row").nth(1).waitFor();
    await send("/cancel");
    await toast.getByText("Cancelled 1 running and 2 queued prompts").waitFor();
    await page
      .locator(".notice", { hasText: "You cancelled 1 running and 2 queued prompts" })
      .waitFor();
    await page.locator(".interrupted").waitFor();
    await status.getByText("Idle").waitFor();
    assert.equal(await page.locator(".prompt.cancelled").count(), 3);
    await page.keyboard.press("Escape");
    await toast.getByText("No run to stop", { exact: true }).waitFor();
  }));

test("one tree cancel stops background work, and no child result starts a run of the parent (C7)", () =>
  inSession(async ({ page, send, toast }, session) => {
    await send("parallel { background { stall }; background { stall } }; stall");
    let background = 0;
    for await (const { type } of session.events()) {
      if (type === "child.linked") background += 1;
      if (type === "step.opened" && background === 2) break;
    }
    await page.keyboard.press("Escape");
    await toast.getByRole("button", { name: "Also stop 2 background prompts" }).click();
    await toast.getByText(/Cancelled .*2 background prompts/).waitFor();
    const cancels: boolean[] = [];
    for await (const event of session.events({ follow: false })) {
      if (event.type === "cancel.committed") cancels.push(event.receipt.tree);
    }
    assert.deepEqual(cancels, [false, true]);
    for await (const child of session.eachChild()) {
      for await (const { promptId } of holdfast.session(child.sessionId).eachPrompt()) {
        const { reason } = await holdfast.session(child.sessionId).promptById(promptId).settled();
        assert.equal(reason, "parentCancel");
      }
    }
    const texts: (string | null)[] = [];
    for await (const { text } of session.eachPrompt()) texts.push(text);
    assert.equal(texts.length, 1, texts.join("\n"));
  }));

test("a withdrawn prompt can be put back, and its message stays while the pointer is over it", () =>
  inSession(async ({ page, send, toast }, session) => {
    await send("ask Ready?");
    await page.locator(".ask-card").waitFor();
    await send("say waits");
    const row = page.locator(".queue-row", { hasText: "say waits" });
    await page.clock.install();
    await clickInRow(row, "Withdraw");
    await row.waitFor({ state: "detached" });
    await toast.getByText("Prompt withdrawn").hover();
    await page.clock.runFor(60_000);
    await toast.getByText("Prompt withdrawn").waitFor();
    await toast.getByRole("button", { name: "Put back in the queue" }).click();
    await row.waitFor();
    await clickInRow(row, "Withdraw");
    await toast.getByText("Prompt withdrawn").waitFor();
    await page.locator(".page-head h1").hover();
    await page.clock.runFor(60_000);
    await page.locator(".toast").waitFor({ state: "detached" });
    await session.cancel();
  }));

test("a pasted image is sent with a prompt and copied by a fork; text copied with an image is pasted as text", async () => {
  const { page, problems, answer, close } = await openUserPage(browser, server.url, signedIn);
  const paste = (types: string): Promise<unknown> =>
    page.evaluate(`{
      const clipboardData = new DataTransfer();
      for (const type of ${types}) clipboardData.setData(type, "words");
      clipboardData.items.add(new File(["x"], "image.png", { type: "image/png" }));
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.querySelector("#composer").dispatchEvent(event);
    }`);
  /** Drops a file on an element. Returns whether the page took the event from the browser. */
  const drop = (target: string): Promise<boolean> =>
    page.evaluate<boolean>(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["xy"], "dropped.png", { type: "image/png" }));
      const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
      !document.querySelector("${target}").dispatchEvent(event);
    }`);
  await fillDirectory(page, folder);
  await page.locator("#composer").fill("say seen");
  // A file that is dropped beside the composer does not replace the page.
  assert.equal(await drop(".sidebar"), true);
  assert.equal(await page.locator(".upload").count(), 0);
  assert.equal(await drop(".home-form textarea"), true);
  await page.locator(".upload", { hasText: "2 B" }).getByLabel("Remove dropped.png").click();
  await paste('["text/plain", "text/html"]');
  await paste("[]");
  await page.locator(".upload", { hasText: "1 B" }).waitFor();
  assert.equal(await page.locator(".upload").count(), 1);
  await page.reload();
  assert.equal(await page.locator("#composer").inputValue(), "say seen");
  await paste("[]");
  await page.locator(".upload", { hasText: "1 B" }).waitFor();
  await page.getByRole("button", { name: "Start" }).click();
  await answer.getByText("seen").waitFor();
  const picture = page.locator(".prompt .attachment", { hasText: "image.png" });
  await picture.waitFor();
  const sessionId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const fork = await server.holdfast.session(sessionId).fork();
  await page.goto(`${server.url}/sessions/${fork.sessionId}`);
  await picture.waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    picture.getByRole("button").click(),
  ]);
  assert.equal(await readFile(await download.path(), "utf8"), "x");
  await paste("[]");
  await page.locator(".upload", { hasText: "1 B" }).waitFor();
  // The picture and the text stay with the session while another page is open.
  await page.locator("#composer").fill("not yet");
  await page.locator(".page-head").getByLabel("Timeline").click();
  await page.locator(".session-link").nth(1).click();
  await page.locator(".upload").waitFor({ state: "detached" });
  await page.goBack();
  await page.goBack();
  await page.locator(".upload", { hasText: "1 B" }).waitFor();
  assert.equal(await page.locator("#composer").inputValue(), "not yet");
  await page.locator("#composer").fill("");
  await page.getByRole("button", { name: "Send" }).click();
  await picture.nth(1).waitFor();
  const { items } = await server.holdfast.session(fork.sessionId).prompts();
  assert.deepEqual(
    items.map(({ text, attachments }) => [text, attachments.length]),
    [["", 1]],
    "a picture alone is a prompt",
  );
  assert.deepEqual(problems, []);
  await close();
});

test("the edit box of a queued prompt has its whole text, even if the event stream cuts it", () =>
  inSession(async ({ page, toast }, session) => {
    await session.hold();
    const text = `say ${"long ".repeat(14_000)}end`;
    const prompt = await session.prompt(text);
    const row = page.locator(".queue-row");
    await clickInRow(row, "Edit");
    const box = page.locator(".queue-edit textarea");
    await box.waitFor();
    assert.equal((await box.inputValue()).length, text.length);
    await box.fill(`${text}ed`);
    await page.keyboard.press("Enter");
    await toast.getByText("Prompt changed").waitFor();
    assert.equal((await prompt.get()).text, `${text}ed`);
    await session.cancel();
  }));

test("a pause without a reason names the person", () =>
  inSession(async ({ page, send }) => {
    await send("/hold");
    const banner = page.locator(".hold-banner span");
    await banner.waitFor();
    assert.match((await banner.textContent()) ?? "", /^Paused: by \S+$/);
  }));

test("Esc stops only the active run, and what it cancelled can be put back (C6)", () =>
  inSession(async ({ page, send, toast, status }, session) => {
    await send("stall");
    await page.locator(".page-head .stop").waitFor();
    await session.hold();
    await send("say one");
    await page.locator(".queue-row").waitFor();
    await page.keyboard.press("Escape");
    await toast
      .getByText("Cancelled the current run. 1 queued prompt stays in the queue.")
      .waitFor();
    await page.locator(".prompt.cancelled", { hasText: "stall" }).waitFor();
    await page.keyboard.press("Escape");
    await toast.getByText("No run to stop. 1 prompt waits in the queue.").waitFor();
    assert.deepEqual(await page.locator(".queue-text").allTextContents(), ["say one"]);
    await page.locator(".prompt.cancelled").getByText("Send again").click();
    await page.locator(".queue-row", { hasText: "stall" }).waitFor();
    await send("/cancel");
    await toast.getByText("Cancelled 2 queued prompts").waitFor();
    await toast.getByRole("button", { name: "Put back in the queue" }).click();
    await page.locator(".queue-row").nth(1).waitFor();
    assert.deepEqual(await page.locator(".queue-text").allTextContents(), ["say one", "stall"]);
    await page.locator("#composer").fill("my draft");
    await page.locator(".prompt.cancelled").first().getByText("Edit and send").click();
    // The page reads the whole prompt from the server first.
    await waitFor(() => page.locator("#composer").inputValue(), {
      describe: "the draft with the prompt",
      until: (text) => text === "my draft\n\nstall",
    });
    await session.cancel();
    await status.getByText("Paused").waitFor();
  }));

// The last test, because the demo agent answers no prompts after a provider was disconnected.
test("disconnecting one provider does not stop a run on another, and a toast reports the end (M1, M5)", () =>
  inSession(async ({ page, send, toast }, session) => {
    await send("stall");
    await page.locator(".page-head .stop").waitFor();
    await page.goto(`${server.url}/settings/providers`);
    await page.getByRole("button", { name: "Other server" }).click();
    await page.getByLabel("Name").fill("local");
    await page.getByLabel("Address").fill("http://127.0.0.1:9/v1");
    await page.getByLabel("Default model").fill("tiny");
    await page.keyboard.press("Enter");
    await page.getByText("the provider cannot be reached").waitFor();
    await page.getByRole("button", { name: "Save anyway" }).click();
    await toast.getByText("Applies from the next run").waitFor();
    await page.getByText("Disconnect", { exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await page.locator(".card", { hasText: "not connected" }).waitFor();
    await toast.getByText("1 current run still uses").waitFor();
    assert.equal((await session.get()).status, "running");
    await toast.getByText("Stop these runs now").click();
    await session.cancel();
    await page.locator(".toast", { hasText: "No run uses the old settings" }).first().waitFor();
    const [prompt] = (await session.prompts()).items;
    assert.equal(prompt?.outcome?.reason, "sessionCancel");
  }));
