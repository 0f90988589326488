import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { openUserPage } from "./support/user-page.ts";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";

// A dev server of a hostile repository, on another port of the host that Holdfast runs on.

let server: SignedInServer;

before(async () => {
  server = await openSignedInServer();
});

after(() => server.close());

interface Neighbour extends AsyncDisposable {
  readonly url: string;
  /** The cookies that browsers sent with each request. */
  readonly cookies: Promise<string>;
}

async function openNeighbour(): Promise<Neighbour> {
  const harvested = Promise.withResolvers<string>();
  const server = createServer((request: IncomingMessage, response) => {
    const { cookie } = request.headers;
    if (cookie !== undefined) harvested.resolve(cookie);
    response.setHeader("content-type", "text/html").end("<!doctype html><title>dev</title>");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    cookies: harvested.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

test("stolen cookie: a dev server on another port receives the cookie but cannot use it", async () => {
  await using neighbour = await openNeighbour();
  const { browser, url, signedIn } = server;
  const { page, tab, close } = await openUserPage(browser, url, signedIn);
  await page.locator(".sidebar").waitFor();
  const hostile = await tab();
  await hostile.goto(neighbour.url);
  const cookie = await neighbour.cookies;
  assert.match(cookie, /^holdfast-\d+=hfc_/);

  // A program sends the cookie with forged browser headers.
  const forged = { cookie, origin: url, "sec-fetch-site": "same-origin" };
  const statusOf = async (path: string, init: RequestInit): Promise<number> =>
    (await fetch(url + path, init)).status;
  const bearer = { authorization: `Bearer ${cookie.split("=")[1]}` };
  assert.deepEqual(
    [
      await statusOf("/v1/me", { headers: forged }),
      await statusOf("/v1/sessions", { headers: forged }),
      await statusOf("/v1/events?follow=false", { headers: forged }),
      await statusOf("/v1/link", { method: "POST", headers: forged }),
      await statusOf("/v1/me", { headers: bearer }),
    ],
    [401, 401, 401, 401, 401],
  );

  // A page of the dev server in the owner's browser, which adds the cookie itself.
  const byPage: unknown = await hostile.evaluate(`(async () => {
    const tried = async (work) => { try { return String(await work()); } catch (error) { return error.name; } };
    const opened = window.open(${JSON.stringify(url)});
    return [
      await tried(() => fetch(${JSON.stringify(url)} + "/v1/me", { credentials: "include" })),
      await tried(() => fetch(${JSON.stringify(url)} + "/v1/link", { method: "POST", mode: "no-cors", credentials: "include" }).then((answer) => answer.type + answer.status)),
      await tried(() => localStorage.getItem("holdfast.key")),
      await tried(async () => {
        // The page's opener policy cuts the connection to the window, which then counts as closed.
        for (const end = Date.now() + 60_000; !opened.closed && Date.now() < end; ) await new Promise((next) => setTimeout(next, 10));
        return opened.closed ? "cut off" : opened.localStorage.getItem("holdfast.key");
      }),
    ];
  })()`);
  assert.deepEqual(byPage, ["TypeError", "TypeError", "null", "cut off"]);

  // The owner's page still works after a reload.
  await page.reload();
  await page.locator(".sidebar").waitFor();
  await page.locator("#composer").waitFor();
  await close();
});

test("a link signs a browser in for reloads and other tabs, and its code is removed from the address", async () => {
  const { browser, url } = server;
  const link = await server.link();
  const { page, tab, close, problems } = await openUserPage(browser, link);
  await page.locator(".sidebar").waitFor();
  assert.equal(page.url(), `${url}/`);
  await page.reload();
  await page.locator(".sidebar").waitFor();
  const other = await tab();
  await other.goto(`${url}/settings`);
  await other.locator(".sidebar").waitFor();
  assert.deepEqual(problems, []);
  await close();
  const late = await openUserPage(browser, link);
  await late.page.getByText("This link was already used").waitFor();
  await late.close();
});
