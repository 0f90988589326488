import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Holdfast } from "@holdfast/sdk";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { openUserPage } from "./support/user-page.ts";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";

// Navigation: with the keyboard, on a phone, and among many sessions.

let server: SignedInServer;
let browser: Browser;
let holdfast: Holdfast;
let folder: string;
let signedIn: BrowserContextOptions;

before(async () => {
  server = await openSignedInServer();
  ({ browser, holdfast, folder, signedIn } = server);
});

after(() => server.close());

test("the list filters many sessions by status, and typed text is searched for once", async () => {
  const asking = await holdfast.sessions.create({ directory: folder, title: "Alpha asks" });
  await asking.prompt("ask Which one?");
  await Promise.all(
    Array.from({ length: 210 }, (_, place) =>
      holdfast.sessions.create({ directory: folder, title: `Alpha ${place}` }),
    ),
  );
  const { page, problems, close } = await openUserPage(browser, server.url, signedIn);
  const rows = page.locator(".session-link");
  await rows.getByText("Alpha 1", { exact: false }).first().waitFor();
  assert.ok((await rows.count()) < 80, "only those in sight are in the page");
  await page.getByLabel("Filter sessions").selectOption("Needs you");
  await rows.getByText("Alpha asks").waitFor();
  await rows.getByText("Alpha 1", { exact: false }).waitFor({ state: "detached" });
  await asking.cancel();
  await rows.getByText("Alpha asks").waitFor({ state: "detached" });
  await page.getByLabel("Filter sessions").selectOption("All");
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

  // The timeline of the server comes from one request, and does not page through idle sessions.
  const queries = new Set<string>();
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === "/v1/sessions") queries.add([...new Set(searchParams.keys())].join(" "));
  });
  await page.goto(`${server.url}/timeline`);
  await page
    .locator(".chart-foot")
    .getByText(/sessions?: all with unfinished work/)
    .waitFor();
  assert.deepEqual([...queries].toSorted(), ["archived limit"]);
  assert.deepEqual(problems, []);
  await close();
});
