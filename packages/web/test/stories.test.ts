import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { openPlace } from "../../holdfast/test/server/lifecycle/server-process.ts";
import { meet } from "./support/person.ts";
import { openVisits } from "./support/visits.ts";
import type { Visits } from "./support/visits.ts";

// People in front of a real browser and a real server, with the demo agent.

let house: Visits;
let inSession: Visits["inSession"];
let browser: Browser;
let holdfast: Holdfast;
let folder: string;
let signedIn: BrowserContextOptions;

before(async () => {
  house = await openVisits();
  ({ browser, holdfast, folder, signedIn, inSession } = house);
});

after(() => house.close());

test("somebody starts a session and sees the answer come, word by word", async () => {
  const person = await meet(browser, house.url, signedIn);
  const { page, answer } = person;
  await page.getByLabel("Directory").fill(folder);
  await person.say("words 12 every 20ms; append story.txt once; say **all** done");
  await page.locator(".step", { hasText: "word-3" }).waitFor();
  await answer.getByText("all done").waitFor();
  assert.equal(await answer.locator("strong").textContent(), "all");
  assert.equal(await page.locator(".call-status").textContent(), "done");
  assert.equal(await person.status.textContent(), "Idle");
  assert.deepEqual(person.problems, []);
  await person.leave();
});

test("three prompts wait: one is moved with keys, one edited, one withdrawn; the rest run in that order", () =>
  inSession(async ({ page, say, toast }, session) => {
    await say("stall");
    await page.locator(".page-head .stop").waitFor();
    for (const name of ["one", "two", "three"]) await say(`say ${name}`);
    const rows = page.locator(".queue-row");
    await rows.nth(2).waitFor();
    await rows.nth(2).focus();
    await page.keyboard.press("Alt+ArrowUp");
    await toast.getByText("Moved to place 2").waitFor();
    await page.locator(".queue-row", { hasText: "say two" }).hover();
    await page.locator(".queue-row", { hasText: "say two" }).getByLabel("Withdraw").click();
    await toast.getByText("Withdrawn").waitFor();
    await rows.nth(1).hover();
    await rows.nth(1).getByLabel("Edit").click();
    await page.locator(".queue-edit").fill("say drei");
    await page.keyboard.press("Enter");
    await page.locator(".queue-text", { hasText: "say drei" }).waitFor();
    const { active } = await session.get();
    assert.ok(active?.kind === "run");
    await session.promptById(active.startedBy).withdraw();
    await page.locator(".step", { hasText: "drei" }).waitFor();
    const said = await page
      .locator(".prompt .note, .prompt-text")
      .evaluateAll((all) => all.map((each) => String(each.textContent)));
    assert.deepEqual(said, [
      "cancelled",
      "stall",
      "cancelled · before it started; the model never got it",
      "say two",
      "say one",
      "say drei",
    ]);
  }));

test("a steer says what it will do, joins the active run, and nothing stops", () =>
  inSession(async ({ page, say, answer }) => {
    await say("ask Ready?; say first");
    await page.locator(".ask-card").waitFor();
    await page.getByText("Steer", { exact: true }).click();
    await page.getByText("Joins the active run at its next step").waitFor();
    await say("say steered");
    await say("say waits");
    await page.locator(".queue-row", { hasText: "say waits" }).waitFor();
    // It comes before those that wait, and has no place among them.
    assert.deepEqual(await page.locator(".queue-row").allTextContents(), [
      "say steeredjoins at the next step",
      "1say waits",
    ]);
    await page.getByLabel("Your answer").fill("yes");
    await page.keyboard.press("Enter");
    await page.locator(".prompt .note", { hasText: "joined the active run" }).waitFor();
    await page.locator(".step", { hasText: "first" }).waitFor();
    await page.locator(".step", { hasText: "steered" }).waitFor();
    await answer.getByText("waits").waitFor();
  }));

test("Esc cancels; the receipt says exactly what it covered, and so does the conversation (C2)", () =>
  inSession(async ({ page, say, toast, status }) => {
    await say("words 2000 every 20ms");
    await page.locator(".step", { hasText: "word-2" }).waitFor();
    await say("say one");
    await say("say two");
    await page.locator(".queue-row").nth(1).waitFor();
    await page.keyboard.press("Escape");
    await toast.getByText("Stopped 1 running, 2 queued").waitFor();
    await page.locator(".notice", { hasText: "You cancelled: 1 running, 2 queued" }).waitFor();
    await page.locator(".interrupted").waitFor();
    await status.getByText("Idle").waitFor();
    assert.equal(await page.locator(".prompt.cancelled").count(), 3);
    await page.keyboard.press("Escape");
    await toast.getByText("Nothing was running or waiting").waitFor();
  }));

test("a permission that is answered in one tab goes away in the other, with the answer named (R4)", () =>
  inSession(async ({ page, say, tab, answer }) => {
    await say("ask to append asked.txt yes; say thanks");
    await page.locator(".ask-card").waitFor();
    const other = await tab();
    await other.goto(page.url());
    await other.locator(".ask-card").getByText("Allow", { exact: true }).click();
    await page.locator(".toast", { hasText: "allowed it" }).waitFor();
    await page.locator(".ask-card").waitFor({ state: "detached" });
    await answer.getByText("thanks").waitFor();
    assert.match(String(await page.locator(".ask-record").textContent()), /allowed by you/);
  }));

test("two browsers and a program on one session see what each other does, and keep what they write", () =>
  inSession(async ({ page, say, status }, session) => {
    const other = await meet(browser, page.url(), signedIn);
    await other.page.locator("#composer").fill("half a thought");
    await say("ask to append shared.txt yes; words 2000 every 20ms");
    await other.page.locator(".ask-card").waitFor();
    await session.prompt("say from the program");
    for (const each of [page, other.page]) {
      await each.locator(".queue-row", { hasText: "from the program" }).waitFor();
    }
    const [ask] = (await session.asks()).items;
    await session.answer(ask?.askId ?? "", { verdict: "allow" });
    for (const each of [page, other.page]) {
      await each.locator(".toast", { hasText: "allowed it" }).waitFor();
      await each.locator(".ask-card").waitFor({ state: "detached" });
      await each.locator(".step", { hasText: "word-2" }).waitFor();
    }
    await other.page.locator(".page-head .stop").click();
    await page.locator(".notice", { hasText: "cancelled: 1 running, 1 queued" }).waitFor();
    await page.locator(".queue-row").waitFor({ state: "detached" });
    await status.getByText("Idle").waitFor();
    assert.equal(await other.page.locator("#composer").inputValue(), "half a thought");
    await session.delete();
    await page.getByText("This session is deleted").waitFor();
    await other.page.getByText("You had not sent: “half a thought”").waitFor();
    assert.deepEqual(other.problems, []);
    await other.leave();
  }));

test("a provider is disconnected during a run: the toast says what waits, force ends it, and the end is told (M1, M5)", () =>
  inSession(async ({ page, say, toast }, session) => {
    await say("stall");
    await page.locator(".page-head .stop").waitFor();
    await page.goto(`${house.url}/settings/providers`);
    await page.getByText("Connect a provider").click();
    await page.getByLabel("Name").fill("local");
    await page.getByLabel("Address").fill("http://127.0.0.1:9/v1");
    await page.getByLabel("Model").fill("tiny");
    await page.keyboard.press("Enter");
    await toast.getByText("Applies to the next run").waitFor();
    await page.getByText("Disconnect", { exact: true }).click();
    await page.locator(".card", { hasText: "not connected" }).waitFor();
    await toast.getByText("(1 waiting)").waitFor();
    assert.equal((await session.get()).status, "running");
    await toast.getByText("Force now").click();
    await page.locator(".toast", { hasText: "the old connections are closed" }).first().waitFor();
    const [prompt] = (await session.prompts()).items;
    assert.equal(prompt?.outcome?.reason, "force");
  }));

test("tabs that nobody looks at do not use up the browser's six connections", () =>
  inSession(async ({ page, say, tab, answer }) => {
    for (let count = 0; count < 6; count += 1) {
      const hidden = await tab();
      await hidden.addInitScript(
        'Object.defineProperty(document, "visibilityState", { get: () => "hidden" })',
      );
      await hidden.goto(page.url(), { waitUntil: "commit" });
    }
    await say("say still here");
    await answer.getByText("still here").waitFor();
    const last = page.context().pages().at(-1);
    await last?.locator(".composer").waitFor();
  }));

test("on a phone nothing is wider than the screen or smaller than a finger, and the list is a tap away", async () => {
  const session = await holdfast.sessions.create({ directory: folder, title: "On the phone" });
  await session.prompt("words 30; stall");
  await session.prompt(`say ${"a long prompt that waits ".repeat(8)}`);
  const { page, problems, leave } = await meet(
    browser,
    `${house.url}/sessions/${session.sessionId}`,
    { ...signedIn, viewport: { width: 360, height: 700 }, hasTouch: true, isMobile: true },
  );
  await page.locator(".queue-row").waitFor();
  assert.equal(await page.evaluate("document.scrollingElement.scrollWidth"), 360);
  for (const part of [".composer", ".queue-panel", ".page-head", ".step"]) {
    const box = await page.locator(part).last().boundingBox();
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 360, `${part} fits`);
  }
  const small = await page
    .locator(".page-head button, .dock button, .call-head")
    .evaluateAll((all) => all.filter((each) => each.clientHeight > 0 && each.clientHeight < 34))
    .then((found) => found.length);
  assert.equal(small, 0, "fingers can hit everything");
  const viewport = await page.locator("meta[name=viewport]").getAttribute("content");
  assert.doesNotMatch(viewport ?? "", /user-scalable|maximum-scale/, "everybody may zoom");
  await page.getByLabel("Menu").focus();
  await page.keyboard.press("Enter");
  await page.locator("main[inert]").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("main:not([inert])").waitFor();
  await page.getByLabel("Menu").and(page.locator(":focus")).waitFor();
  await page.getByLabel("Timeline", { exact: true }).tap();
  await page.locator(".prompt-bar").first().waitFor();
  const hits = await page.evaluate<readonly boolean[]>(`
    [...document.querySelectorAll(".prompt-bar")].map((bar) => {
      const { top, height, left } = bar.getBoundingClientRect();
      const isHit = (by) => bar.contains(document.elementFromPoint(left + 2, top + height / 2 + by));
      return isHit(-21) && isHit(21);
    })
  `);
  assert.deepEqual(hits, [true, true], "bars are 44 pixels high to a finger");
  await page.getByLabel("Menu").tap();
  await page.locator(".session-link", { hasText: "On the phone" }).tap();
  await page.locator(".page-head .stop").tap();
  await page.locator(".toast", { hasText: "Stopped 1 running, 1 queued" }).waitFor();
  assert.deepEqual(problems, []);
  await leave();
});

test("everything works with keys alone", async () => {
  const session = await holdfast.sessions.create({ directory: folder, title: "Found by typing" });
  const person = await meet(browser, house.url, signedIn);
  const { page } = person;
  const { keyboard } = page;
  await page.locator(".session-link", { hasText: "Found by typing" }).waitFor();
  await keyboard.press("Control+k");
  await keyboard.type("found by");
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "Found by typing" }).waitFor();
  await keyboard.type("ask to append keys.txt yes; say with keys");
  await keyboard.press("Enter");
  await page.locator(".ask-card").waitFor();
  await page.locator(".virtual-list").focus();
  await keyboard.press("y");
  await person.answer.getByText("with keys").waitFor();
  await keyboard.press("?");
  const help = page.getByRole("heading", { name: "Keys" });
  await help.waitFor();
  await keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await keyboard.press("i");
  await keyboard.press("ArrowUp");
  assert.equal(
    await page.locator("#composer").inputValue(),
    "ask to append keys.txt yes; say with keys",
  );
  await keyboard.press("Control+a");
  await keyboard.type("/rename By keys");
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "By keys" }).waitFor();
  assert.equal((await session.get()).title, "By keys");
  await holdfast.sessions.create({ directory: folder, title: "The first" });
  await page.locator(".session-link", { hasText: "The first" }).waitFor();
  await page.locator(".virtual-list").focus();
  await keyboard.press("k");
  await page.getByRole("heading", { name: "The first" }).waitFor();
  await keyboard.press("j");
  await page.getByRole("heading", { name: "By keys" }).waitFor();
  assert.deepEqual(person.problems, []);
  await person.leave();
});

test("a stranger sees how to get a link, and a used link says that it is used", async () => {
  const link = await house.link();
  await (await meet(browser, link)).leave();
  const { page, leave } = await meet(browser, link);
  await page.getByText("This link was used already").waitFor();
  await page.getByText("holdfast link").waitFor();
  await leave();
  const person = await meet(browser, await house.link());
  await person.page.getByText("What should be done?").waitFor();
  const tokens = await holdfast.tokens.list();
  const newest = tokens.toSorted((left, right) => left.createdAt - right.createdAt).at(-1);
  await holdfast.tokens.revoke(newest?.tokenId ?? "");
  await person.page.getByText("This browser is not signed in").waitFor();
  await person.leave();
});

test("sessions are renamed, archived, brought back and deleted where they are listed", async () => {
  const session = await holdfast.sessions.create({ directory: folder, title: "Tidy me up" });
  const busy = await holdfast.sessions.create({ directory: folder, title: "Busy" });
  const { page, toast, problems, leave } = await meet(browser, house.url, signedIn);
  const item = page.locator(".session-row", { hasText: "Tidy me up" });
  const act = async (name: string): Promise<void> => {
    await item.hover();
    await item.getByLabel("More actions").click();
    // What other sessions do meanwhile does not close it.
    await (await busy.prompt("say something")).settled();
    await item.getByRole("menuitem", { name, exact: true }).click();
  };
  await act("Archive");
  await toast.getByText("Undo").click();
  await item.waitFor();
  await act("Rename");
  await page.getByLabel("Title").fill("Tidy me up well");
  await page.keyboard.press("Enter");
  await item.getByText("Tidy me up well").waitFor();
  await act("Delete");
  await page.locator("dialog").getByText("Delete", { exact: true }).click();
  await item.waitFor({ state: "detached" });
  assert.equal((await session.get()).status, "deleted");
  assert.deepEqual(problems, []);
  await leave();
});

test("a network that is gone is noticed at once, and what was sent or opened meanwhile is there when it is back", () =>
  inSession(async ({ page, say, tab, answer }, session) => {
    const other = await holdfast.sessions.create({ directory: folder, title: "Opened offline" });
    await (await other.prompt("say opened")).settled();
    const beside = await tab();
    await beside.goto(page.url());
    await beside.locator("#composer").fill("written beside");
    await page.locator(".session-link", { hasText: "Opened offline" }).waitFor();
    await page.context().setOffline(true);
    await page.locator(".connection-banner").waitFor();
    await say("say sent offline");
    await page.locator(".prompt.outgoing", { hasText: "when the server is back" }).waitFor();
    await page.locator(".session-link", { hasText: "Opened offline" }).click();
    await page.locator(".page-message", { hasText: "Loading" }).waitFor();
    await page.context().setOffline(false);
    await answer.getByText("opened").waitFor();
    await page.goBack();
    await answer.getByText("sent offline").waitFor();
    assert.equal((await session.prompts()).items.length, 1);
    await beside.reload();
    await beside.locator("#composer").waitFor();
    assert.equal(await beside.locator("#composer").inputValue(), "written beside");
  }));

test("a picture is pasted and goes along, also with the first prompt; words with a picture of themselves stay words", async () => {
  const { page, problems, answer, leave } = await meet(browser, house.url, signedIn);
  const paste = (types: string): Promise<unknown> =>
    page.evaluate(`{
      const clipboardData = new DataTransfer();
      for (const type of ${types}) clipboardData.setData(type, "words");
      clipboardData.items.add(new File(["x"], "image.png", { type: "image/png" }));
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.querySelector("#composer").dispatchEvent(event);
    }`);
  await page.getByLabel("Directory").fill(folder);
  await page.locator("#composer").fill("say seen");
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
  await page.locator(".prompt .attachment", { hasText: "image.png" }).waitFor();
  assert.deepEqual(problems, []);
  await leave();
});

test("among many sessions those are listed that do what is asked for, and what was typed is looked for once", async () => {
  const asking = await holdfast.sessions.create({ directory: folder, title: "Alpha asks" });
  await asking.prompt("ask Which one?");
  await Promise.all(
    Array.from({ length: 210 }, (_, place) =>
      holdfast.sessions.create({ directory: folder, title: `Alpha ${place}` }),
    ),
  );
  const { page, problems, leave } = await meet(browser, house.url, signedIn);
  const rows = page.locator(".session-link");
  await rows.getByText("Alpha 1", { exact: false }).first().waitFor();
  assert.ok((await rows.count()) < 80, "only those in sight are in the page");
  await page.getByLabel("Which sessions are shown").selectOption("Needs you");
  await rows.getByText("Alpha asks").waitFor();
  await rows.getByText("Alpha 1", { exact: false }).waitFor({ state: "detached" });
  await asking.cancel();
  await rows.getByText("Alpha asks").waitFor({ state: "detached" });
  await page.getByLabel("Which sessions are shown").selectOption("All");
  const asked: string[] = [];
  page.on("request", (request) => {
    const search = new URL(request.url()).searchParams.get("search");
    if (search !== null) asked.push(search);
  });
  const found = page.waitForResponse((response) => response.url().includes("search=asks"));
  await page.evaluate(`{
    const field = document.querySelector("#session-search");
    for (const letter of "pha asks") {
      field.value += letter;
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }
  }`);
  await found;
  await rows.getByText("Alpha asks").waitFor();
  assert.deepEqual([asked, await rows.count()], [["asks"], 1]);
  assert.deepEqual(problems, []);
  await leave();
});

test("the server is killed in mid-answer and started again: the page recovers, the prompt ends; and says when it stops in order (P1, P2, T2, M9)", async () => {
  const place = openPlace();
  try {
    const first = await place.start();
    const { port } = new URL(first.url);
    const token = (await readFile(join(place.folder, "token"), "utf8")).trim();
    const { url } = await connect({ url: first.url, token }).link();
    const person = await meet(browser, url);
    const { page } = person;
    await page.getByLabel("Directory").fill(place.folder);
    await person.say("say before; words 60 every 40ms; say after");
    await page.locator(".step", { hasText: "word-5" }).waitFor();
    first.process.kill("SIGKILL");
    await first.ended;
    await page.locator(".connection-banner").waitFor();
    await person.say("say sent while it was away");
    await page.locator(".prompt.outgoing").waitFor();
    const second = await place.start("--port", port);
    await page.locator(".connection-banner").waitFor({ state: "detached" });
    await page.locator(".step", { hasText: "sent while it was away" }).waitFor();
    assert.deepEqual(await page.locator(".prompt .prompt-text").allTextContents(), [
      "say before; words 60 every 40ms; say after",
      "say sent while it was away",
    ]);
    assert.equal(await page.locator(".step", { hasText: "[demo agent] before" }).count(), 1);
    assert.equal(await page.locator(".step", { hasText: "word-60" }).count(), 1);
    assert.equal(await page.locator(".notice.resumed").count(), 1);
    await person.say("stall");
    await page.locator(".page-head .stop").waitFor();
    await connect({ url: second.url, token }).stop({ deadline: 60_000 });
    await page.locator(".connection-banner", { hasText: "is about to stop" }).waitFor();
    await person.say("say sent while it stopped");
    await page.locator(".prompt.outgoing", { hasText: "when the server is back" }).waitFor();
    await page.locator(".page-head .stop").click();
    await second.ended;
    await place.start("--port", port);
    await page.locator(".connection-banner").waitFor({ state: "detached" });
    await page.locator(".step", { hasText: "sent while it stopped" }).waitFor();
    assert.deepEqual(person.problems, []);
    await person.leave();
  } finally {
    await place.close();
  }
});
