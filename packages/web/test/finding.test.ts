import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { SessionHandle } from "@holdfast/sdk";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { openUserPage } from "./support/user-page.ts";
import type { UserPage } from "./support/user-page.ts";

// Search over all sessions, and find in one conversation.

let server: SignedInServer;
let user: UserPage;
let long: SessionHandle;

before(async () => {
  server = await openSignedInServer();
  const { holdfast, folder } = server;
  long = await holdfast.sessions.create({ directory: folder, title: "A long one" });
  await long.prompt("append notes.txt quokka; say A quokka was seen");
  // More events than a page loads at first.
  const fillers = Array.from({ length: 70 }, (_, index) => long.prompt(`say filler ${index}`));
  await Promise.all((await Promise.all(fillers)).map((prompt) => prompt.settled()));
  assert.ok((await long.get()).seq > 420, "the first message is not loaded with the page");
  const old = await holdfast.sessions.create({ directory: folder, title: "Quokka, archived" });
  await old.archive();
  user = await openUserPage(server.browser, server.url, server.signedIn);
});

after(async () => {
  await user.close();
  await server.close();
});

test("search shows matches with their context, filters them, and opens a message that is not loaded", async () => {
  const { page } = user;
  const { keyboard } = page;
  const hits = page.locator(".search-dialog li");
  const status = page.locator(".search-status");
  await page.locator(".session-link").first().waitFor();
  await keyboard.press("s");
  await status.getByText("Enter words that a message must contain").waitFor();
  await keyboard.type("quokka");
  await status.getByText("4 messages", { exact: true }).waitFor();
  assert.equal(await hits.first().locator("mark").textContent(), "Quokka");
  await page.getByLabel("Archived sessions").selectOption("Only archived");
  await status.getByText("1 message", { exact: true }).waitFor();
  await page.getByLabel("Archived sessions").selectOption("Exclude archived");
  await page.getByLabel("Message time").selectOption("Last 24 hours");
  await page.getByLabel("Session directory").selectOption(server.folder);
  await page.getByLabel("Message type").selectOption("Answers");
  await status.getByText("1 message", { exact: true }).waitFor();
  await page.locator(".search-dialog input").focus();
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "A long one" }).waitFor();
  const answer = page.locator(".step", { hasText: "A quokka was seen" });
  await answer.waitFor();
  await waitFor(() => page.evaluate<boolean>("CSS.highlights.get('found')?.size > 0"), {
    describe: "the marked words",
  });
  const box = await answer.boundingBox();
  assert.ok(box !== null && box.y >= 0 && box.y < 700, "the page has scrolled to the message");
  assert.deepEqual(user.problems, []);
});

test("search opens a message that a fork has copied", async () => {
  const { page } = user;
  const { keyboard } = page;
  const fork = await long.fork();
  await fork.rename("A copy");
  await keyboard.press("Control+Shift+F");
  await page.getByLabel("Message type").selectOption("Answers");
  await page.locator(".search-dialog input").fill("quokka");
  const hit = page.locator(".search-dialog li", { hasText: "A copy" });
  await hit.click();
  await page.getByRole("heading", { name: "A copy" }).waitFor();
  const answer = page.locator(".step", { hasText: "A quokka was seen" });
  await answer.waitFor();
  await waitFor(() => answer.boundingBox(), {
    describe: "the message on the screen",
    until: (box) => box !== null && box.y >= 0 && box.y < 700,
  });
  await fork.delete();
  assert.deepEqual(user.problems, []);
});

test("search says plainly why there are no results", async () => {
  const { page } = user;
  const { keyboard } = page;
  const status = page.locator(".search-status");
  const input = page.locator(".search-dialog input");
  await keyboard.press("Control+Shift+F");
  for (const [typed, words] of [
    ["wombat", "No message contains these words."],
    ['"" * (', "The search text has no letter or digit. Enter at least one word."],
    ["w ".repeat(5_000), "The search text is too long. Enter at most 1000 characters."],
  ] as const) {
    await input.fill(typed);
    await status.getByText(words).waitFor();
  }
  let requests = 0;
  await page.route("**/v1/search**", (route) => {
    requests += 1;
    return route.fulfill({ json: { items: [], cursor: "1", isComplete: true } });
  });
  await input.fill("numbat");
  await status.getByText("The newest messages do not contain these words.").waitFor();
  assert.equal(requests, 5, "the page does not read all texts of the server by itself");
  await page.unroute("**/v1/search**");
  await page.getByRole("button", { name: "Search older messages" }).click();
  await status.getByText("No message contains these words.").waitFor();
  await page.route("**/v1/search**", (route) => route.fulfill({ status: 403, body: "{}" }));
  await input.fill("quokka");
  await status.getByText("The search failed:").waitFor();
  await page.unroute("**/v1/search**");
  await keyboard.press("Escape");
  await page.locator(".search-dialog").waitFor({ state: "detached" });
  assert.deepEqual(user.problems, []);
});

test("the late close event of one dialog does not close the dialog that replaced it", async () => {
  const { page } = user;
  await page.locator(".virtual-list").focus();
  await page.keyboard.press("?");
  await page.locator("dialog.help").waitFor();
  await page.evaluate(`new Promise((resolve) => {
    const help = document.querySelector("dialog.help");
    help.addEventListener("close", resolve);
    help.close();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "s", bubbles: true }));
  })`);
  await page.locator(".search-dialog input:focus").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".search-dialog").waitFor({ state: "detached" });
  assert.deepEqual(user.problems, []);
});

test("find counts matches in the whole conversation and goes from one to the next", async () => {
  const { page } = user;
  const { keyboard } = page;
  await page.goto(`${server.url}/sessions/${long.sessionId}`);
  await page.locator(".step").first().waitFor();
  await keyboard.press("Control+f");
  await keyboard.type("QUOKKA");
  const count = page.locator(".find-count");
  await count.getByText("4 of 4").waitFor();
  const answer = page.locator(".step", { hasText: "A quokka was seen" });
  await answer.waitFor();
  for (const place of ["1 of 4", "2 of 4", "3 of 4"]) {
    await keyboard.press("Enter");
    await count.getByText(place).waitFor();
    await waitFor(() => page.evaluate<boolean>("CSS.highlights.get('found-current')?.size === 1"), {
      describe: "one marked place",
    });
  }
  await keyboard.press("Shift+Enter");
  await count.getByText("2 of 4").waitFor();
  await page.locator("#find-input").fill("nowhere");
  await count.getByText("Not found").waitFor();
  await keyboard.press("Escape");
  await page.locator(".find-bar").waitFor({ state: "detached" });
  assert.equal(await page.evaluate("CSS.highlights.size"), 0);
  assert.deepEqual(user.problems, []);
});

test("a folded directory stays folded, and a filter shows its sessions", async () => {
  const { page } = user;
  const row = page.locator(".session-row", { hasText: "A long one" });
  const fold = page.locator(".directory button").first();
  await row.waitFor();
  await fold.click();
  await row.waitFor({ state: "detached" });
  await page.reload();
  await page.locator(".directory button[aria-expanded=false]").waitFor();
  assert.equal(await row.count(), 0);
  await page.locator("#session-search").fill("long");
  await row.waitFor();
  await page.locator("#session-search").fill("");
  await row.waitFor({ state: "detached" });
  await fold.click();
  await row.waitFor();
});

test("the palette opens sections of the settings, find and search", async () => {
  const { page } = user;
  const { keyboard } = page;
  await page.goto(`${server.url}/sessions/${long.sessionId}`);
  await page.locator(".step").first().waitFor();
  const choose = async (typed: string): Promise<void> => {
    await keyboard.press("Control+k");
    await page.locator(".palette li").first().waitFor();
    await keyboard.type(typed);
    await page.locator(".palette li[aria-selected=true]", { hasText: typed }).waitFor();
    await keyboard.press("Enter");
  };
  await choose("Find in this conversation");
  await page.locator("#find-input:focus").waitFor();
  await keyboard.press("Escape");
  await choose("quokka");
  await page.locator(".search-dialog li").first().waitFor();
  await keyboard.press("Escape");
  await page.locator(".search-dialog").waitFor({ state: "detached" });
  await choose("MCP servers");
  await page.waitForURL("**/settings/mcp");
  assert.deepEqual(user.problems, []);
});

test("the palette offers stop only during a run, and clear only if prompts wait", async () => {
  await server.inSession(async ({ page, status }, session) => {
    const choices = page.locator(".palette li");
    const stop = choices.filter({ hasText: "Stop the current run" });
    const clear = choices.filter({ hasText: "/clear" });
    const cancel = choices.filter({ hasText: "/cancel" });
    await status.filter({ hasText: "Idle" }).waitFor();
    await page.keyboard.press("Control+k");
    await cancel.waitFor();
    assert.deepEqual([await stop.count(), await clear.count()], [0, 0]);
    await session.prompt("stall");
    await session.prompt("say later");
    await stop.waitFor();
    await clear.waitFor();
    await session.cancel();
    await stop.waitFor({ state: "detached" });
    await clear.waitFor({ state: "detached" });
  });
});

test("the timeline names prompts that were accepted before the loaded part of the log", async () => {
  const { page } = user;
  await page.goto(`${server.url}/sessions/${long.sessionId}/timeline`);
  await page.locator(".prompt-label", { hasText: "say filler 69" }).waitFor();
  await page
    .locator(".prompt-label", { hasText: /waited/ })
    .first()
    .waitFor();
  const labels = page.locator(".prompt-label");
  const unnamed = labels.filter({ hasNotText: /say|append/ });
  await waitFor(() => unnamed.count(), {
    describe: "a name of every prompt",
    until: (count) => count === 0,
  });
  assert.deepEqual(user.problems, []);
});

test("the server timeline groups prompts that waited together, and opens the session's timeline", async () => {
  const { page } = user;
  await page.goto(`${server.url}/timeline`);
  const group = page.locator(".bar-group", { hasText: /prompts: “say filler/ });
  await group.first().waitFor();
  // At most eight rows for the session, although more than seventy prompts waited at the same time.
  assert.ok((await page.locator(".chart-row").count()) <= 12);
  await group.first().click();
  await page.waitForURL(`**/${long.sessionId}/timeline`);
  await page.locator(".prompt-label", { hasText: "say filler 69" }).waitFor();
});

test("the head of a session shows its last minutes, even if the clock of the device is wrong", async () => {
  const tab = await user.tab();
  await tab.addInitScript("const now = Date.now; Date.now = () => now() + 3_600_000");
  await tab.goto(`${server.url}/sessions/${long.sessionId}`);
  // The label leaves out activities of less than 100 ms, so the answer before the request takes longer.
  await long.prompt("say one two three four slowly; ask to append recent.txt yes");
  const strip = tab.locator(".activity-strip");
  const label = strip.locator(".hidden-text");
  await label.getByText(/^Timeline of the last 5 minutes: waiting for you .*model/).waitFor();
  await strip.locator(".swatch.asking").waitFor();
  await tab.setViewportSize({ width: 390, height: 780 });
  assert.equal((await strip.boundingBox())?.height, 3);
  await tab.setViewportSize({ width: 1200, height: 800 });
  await strip.click();
  await tab.waitForURL("**/timeline");
  await tab.locator(".prompt-bar").first().waitFor();
  await tab.close();
  await long.cancel();
});

test("a report of a session is one file that shows hostile text as text and requests nothing", async () => {
  const { page } = user;
  const hostile = await server.holdfast.sessions.create({
    directory: server.folder,
    title: "</title><script>document.title = 'owned'</script>",
  });
  const words = "<img src=http://127.0.0.1:9/x onerror=alert(1)>";
  const { runId } = await (await hostile.prompt(`say ${words}`)).settled();
  await page.goto(`${server.url}/sessions/${hostile.sessionId}`);
  await page.locator(".step").first().waitFor();
  await page.locator(".page-head").getByLabel("More actions").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "Save HTML report" }).click(),
  ]);
  const file = `${server.folder}/report.html`;
  await download.saveAs(file);
  const report = await page.context().newPage();
  const requests: string[] = [];
  report.on("request", (request) => requests.push(request.url()));
  await report.goto(`file://${file}`);
  await report.locator(".step", { hasText: words }).waitFor();
  assert.equal(await report.title(), "</title><script>document.title = 'owned'</script>");
  assert.deepEqual(requests, [`file://${file}`]);
  assert.equal(await report.locator("script, img, a").count(), 0);
  const style = "getComputedStyle(document.querySelector('.prompt')).borderLeftWidth";
  assert.equal(await report.evaluate(style), "3px", "the policy allows the style of the report");
  await (await hostile.prompt("say another run")).settled();
  const row = page.locator(".prompt", { hasText: "onerror" });
  await row.hover();
  const [ofRun] = await Promise.all([
    page.waitForEvent("download"),
    row.getByLabel("Save an HTML report of this run").click(),
  ]);
  assert.equal(ofRun.suggestedFilename(), `${runId}.html`);
  await ofRun.saveAs(file);
  await report.reload();
  await report.locator(".step", { hasText: words }).waitFor();
  assert.equal(await report.locator(".prompt, tbody tr").count(), 2);
  await report.close();
  assert.deepEqual(user.problems, []);
});
