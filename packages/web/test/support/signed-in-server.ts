import assert from "node:assert/strict";
import type { SessionHandle } from "@holdfast/sdk";
import type { BrowserContextOptions } from "playwright-core";
import { openWebServer } from "./web-server.ts";
import type { WebServer } from "./web-server.ts";
import { openUserPage } from "./user-page.ts";
import type { UserPage } from "./user-page.ts";

/** A server with a signed-in browser. */
export interface SignedInServer extends WebServer {
  readonly signedIn: BrowserContextOptions;
  /** Runs `work` on the page of a new session, then checks that the page had no errors. */
  readonly inSession: (
    work: (user: UserPage, session: SessionHandle) => Promise<void>,
  ) => Promise<void>;
}

export async function openSignedInServer(): Promise<SignedInServer> {
  const server = await openWebServer();
  const { browser, holdfast, folder, url } = server;
  const first = await openUserPage(browser, await server.link());
  await first.page.locator(".sidebar").waitFor();
  const signedIn = { storageState: await first.page.context().storageState() };
  await first.close();
  const inSession: SignedInServer["inSession"] = async (work) => {
    const session = await holdfast.sessions.create({ directory: folder });
    const user = await openUserPage(browser, `${url}/sessions/${session.sessionId}`, signedIn);
    try {
      await work(user, session);
      assert.deepEqual(user.problems, []);
    } finally {
      await user.close();
    }
  };
  return { ...server, signedIn, inSession };
}
