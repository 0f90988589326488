import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { SessionHandle } from "@holdfast/sdk";
import type { BrowserContextOptions } from "playwright-core";
import { settingsSections } from "../src/model/route.ts";
import { addAxe, findings } from "./support/axe.ts";
import { openWebServer } from "./support/web-server.ts";
import type { WebServer } from "./support/web-server.ts";
import { openUserPage } from "./support/user-page.ts";

// Every view of the page, with all kinds of content.

let server: WebServer;
let session: SessionHandle;

before(async () => {
  server = await openWebServer();
  const { holdfast, folder } = server;
  session = await holdfast.sessions.create({ directory: folder, title: "Something of everything" });
  const done = "think first; say **words** and `code`; append n.txt x; fail";
  await (await session.prompt(done)).settled();
  await session.prompt("words 20 every 20ms; wait 300ms; ask to append b.txt c; stall");
  await session.prompt("say in line");
  await session.prompt("say joins", { delivery: "steer" });
});

after(() => server.close());

/** A signed-in page in which axe checks one view after the other. */
async function inspector(options: BrowserContextOptions) {
  // axe is injected as a script, which the page's content security policy forbids.
  const user = await openUserPage(server.browser, await server.link(), {
    ...options,
    bypassCSP: true,
  });
  const { page } = user;
  await addAxe(page);
  const all: string[] = [];
  const check = async (view: string, ready: string, part: string): Promise<void> => {
    await page.locator(ready).first().waitFor();
    all.push(...(await findings(page, view, part)));
  };
  /** The sidebar is the same in all views, so only the main part is checked. */
  const look = async (path: string, ready: string, part = "main"): Promise<void> => {
    await page.goto(`${server.url}${path}`);
    await check(path, ready, part);
  };
  return { ...user, all, check, look };
}

test("axe finds no serious problem on any view", async () => {
  const { page, all, check, look, close } = await inspector({ colorScheme: "light" });
  await look("/", ".home-session", "html");
  await page.getByRole("button", { name: "Browse…" }).click();
  await check("project picker", ".palette [role=option]", "dialog");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Anthropic" }).click();
  await check("provider form", "dialog form", "dialog");
  await page.keyboard.press("Escape");
  await look(`/sessions/${session.sessionId}`, ".ask-card");
  await page.locator(".call-head").first().click();
  for (const name of ["Rename", "Delete"]) {
    await page.locator(".page-head").getByLabel("More actions").click();
    await page.getByRole("menuitem", { name, exact: true }).click();
    await check(`dialog ${name}`, "dialog", "dialog");
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
  }
  await page.locator("#composer").fill("/");
  await check("commands", ".command-list", ".composer");
  await page.locator("#composer").fill("");
  await page.keyboard.press("Control+k");
  await check("palette", ".palette", "dialog");
  await page.keyboard.press("Escape");
  await page.locator(".virtual-list").focus();
  await page.keyboard.press("?");
  await check("keys", "dialog", "dialog");
  await page.keyboard.press("Escape");
  await page.keyboard.press("s");
  await page.locator(".search-dialog input:focus").waitFor();
  await page.keyboard.type("say");
  await check("search", ".search-dialog li", "dialog");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+f");
  await check("find", ".find-bar", ".find-bar");
  await look(`/sessions/${session.sessionId}/changes`, ".page-message");
  await look(`/sessions/${session.sessionId}/timeline`, ".prompt-bar");
  await look("/timeline", ".prompt-bar");
  await page.locator(".prompt-bar").first().click();
  await check("a bar's details", ".bar-detail", ".bar-detail");
  await look("/health", ".failure");
  for (const section of settingsSections) {
    await look(`/settings/${section}`, ".page-body > *");
  }
  await close();
  assert.deepEqual(all, []);
});

test("the config editor completes names from the schema, marks mistakes, and has a plain form", async () => {
  const { page, all, check, look, problems, close } = await inspector({ colorScheme: "light" });
  await look("/settings/config", ".config-editor .cm-content");
  const text = page.getByLabel("Config text");
  await text.click();
  await page.keyboard.type('{ "thi');
  await page.getByRole("option", { name: "thinking" }).click();
  await page.keyboard.type(': "no", "nonsense": 1 }');
  await page.locator(".cm-lintRange-error").nth(1).waitFor();
  await check("config with mistakes", ".cm-lint-marker-error", "main");
  // Sessions elsewhere change while a person writes; the text and the directory must stay.
  const elsewhere = await mkdtemp(join(server.folder, "elsewhere-"));
  await server.holdfast.sessions.create({ directory: elsewhere, title: "Meanwhile" });
  await page.locator(".session-link", { hasText: "Meanwhile" }).waitFor();
  await page.getByLabel("Plain text field").check();
  const plain = page.locator("textarea");
  assert.match(await plain.inputValue(), /^\{ "thinking": "no", "nonsense": 1 \}+$/);
  await plain.fill('{ "thinking": true }');
  await page.getByLabel("Plain text field").uncheck();
  await page.locator(".cm-content", { hasText: '"thinking": true' }).waitFor();
  await page.locator(".cm-lintRange-error").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".toast").first().waitFor();
  const saved = await server.holdfast.config.get({ directory: server.folder });
  assert.equal(saved.text, '{ "thinking": true }');
  // The start page keeps the directory too, once a person writes.
  await page.goto(server.url);
  const field = page.getByLabel("Directory", { exact: true });
  await page.locator(".home-bar .field input:valid").waitFor();
  await page.locator("#composer").fill("where");
  const shown = await field.inputValue();
  const other = shown === elsewhere ? server.folder : elsewhere;
  await server.holdfast.sessions.create({ directory: other, title: "Later" });
  await page.locator(".session-link", { hasText: "Later" }).waitFor();
  assert.equal(await field.inputValue(), shown);
  assert.deepEqual([...all, ...problems], []);
  await close();
});

test("axe finds no serious problem in the dark theme on a phone", async () => {
  const size = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true };
  const { all, look, close } = await inspector({ colorScheme: "dark", ...size });
  await look(`/sessions/${session.sessionId}`, ".ask-card", "html");
  await look(`/sessions/${session.sessionId}/timeline`, ".prompt-bar");
  await look("/health", ".failure");
  await look("/settings/config", ".page-body > *");
  await close();
  assert.deepEqual(all, []);
});

test("axe finds no serious problem on the sign-in page", async () => {
  const context = await server.browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  await addAxe(page);
  await page.goto(server.url);
  await page.getByText("holdfast link").waitFor();
  assert.deepEqual(await findings(page, "sign-in", "html"), []);
  await context.close();
});

test("the health page reads one summary and no log of a session", async () => {
  const user = await openUserPage(server.browser, await server.link());
  const { page } = user;
  const paths: string[] = [];
  page.on("request", (request) => paths.push(new URL(request.url()).pathname));
  // As for a token that is limited to some directories.
  await page.route("**/metrics", (route) => route.fulfill({ status: 403, body: "{}" }));
  const { current } = await server.holdfast.activity({});
  const status = page.waitForResponse("**/v1/status");
  await page.goto(`${server.url}/health`);
  await page.locator(".failure").first().waitFor();
  assert.ok(paths.includes("/v1/activity"));
  assert.deepEqual(
    (await page.locator(".tile dd").allTextContents()).slice(0, 4),
    [current.running, current.waiting, current.asks, current.paused].map(String),
  );
  await status;
  await page.locator(".health-foot", { hasText: /up for [^:]+\.$/ }).waitFor();
  assert.deepEqual(
    paths.filter((path) => /^\/v1\/sessions\/[^/]+\//.test(path)),
    [],
  );
  await user.close();
});

test("a timeline shows why a prompt waits, updates live, zooms, and links to the messages", async () => {
  const user = await openUserPage(server.browser, await server.link());
  const { page } = user;
  const lane = await server.holdfast.sessions.create({
    directory: server.folder,
    title: "In time",
  });
  const first = await lane.prompt("words 15 every 20ms; stall");
  await page.goto(`${server.url}/sessions/${lane.sessionId}/timeline`);
  const bars = page.locator(".prompt-bar");
  await bars.first().waitFor();
  await lane.prompt("say behind it");
  const waits = page.locator(".prompt-label", { hasText: "say behind it" });
  await waits.getByText(/waiting .* · queued after “words 15/).waitFor();
  await page.locator(".segment-part.model.open").waitFor();
  await page.getByLabel("Zoom in").click();
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByLabel("Zoom out").and(page.locator(":disabled")).waitFor();
  await bars.first().click();
  await page.locator(".detail-behind", { hasText: "words 15" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".bar-detail").waitFor({ state: "detached" });
  assert.equal((await lane.get()).queued, 1);
  await lane.cancel();
  await first.settled();
  await waits.getByText(/cancelled · waited .* · never started/).waitFor();
  await page.locator(".prompt-bar.settled").nth(1).waitFor();
  await bars.last().click();
  await page.locator(".share-list", { hasText: "model" }).waitFor();
  await page.getByRole("button", { name: "Show messages" }).click();
  await page.locator(".prompt", { hasText: "words 15" }).waitFor();
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("the server timeline shows every session with work, however many were active since", async () => {
  const { holdfast, folder: directory } = server;
  const waits = await holdfast.sessions.create({ directory, title: "Waits for you" });
  await waits.prompt("ask Which one?");
  // The prompt was accepted earlier than the events that every session gets.
  for (let count = 0; count < 150; count += 1) await waits.rename(`Waiting ${count}`);
  await waits.rename("Waits for you");
  const others = Array.from({ length: 30 }, (_, place) =>
    holdfast.sessions.create({ directory, title: `Later ${place}` }),
  );
  const prompts = await Promise.all(
    (await Promise.all(others)).map((other) => other.prompt("say x")),
  );
  await Promise.all(prompts.map((prompt) => prompt.settled()));
  const { page, problems, close } = await openUserPage(server.browser, await server.link());
  const paths: string[] = [];
  page.on("request", (request) => paths.push(new URL(request.url()).pathname));
  await page.goto(`${server.url}/timeline`);
  await page.locator(".session-label", { hasText: "Waits for you" }).waitFor();
  assert.deepEqual(
    paths.filter((path) => path === "/v1/timeline" || /^\/v1\/sessions\/[^/]+\//.test(path)),
    ["/v1/timeline"],
    "one request for all sessions",
  );
  const shown = page.locator(".chart-foot");
  await shown.getByText(/^2\d sessions: all with unfinished work/).waitFor();
  await shown.getByRole("button").click();
  await shown.getByText(/^3\d sessions/).waitFor();
  assert.deepEqual(problems, []);
  await close();
});
