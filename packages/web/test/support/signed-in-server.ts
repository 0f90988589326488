import assert from "node:assert/strict";
import type { SessionHandle } from "@holdfast/sdk";
import type { BrowserContextOptions } from "playwright-core";
import { openHouse } from "./web-server.ts";
import type { House } from "./web-server.ts";
import { meet } from "./user-page.ts";
import type { Person } from "./user-page.ts";

/** A house with a browser that a link has signed in. */
export interface Visits extends House {
  readonly signedIn: BrowserContextOptions;
  /** A person who looks at a new session; what the page met on the way is checked at the end. */
  readonly inSession: (
    story: (person: Person, session: SessionHandle) => Promise<void>,
  ) => Promise<void>;
}

export async function openVisits(): Promise<Visits> {
  const house = await openHouse();
  const { browser, holdfast, folder, url } = house;
  const first = await meet(browser, await house.link());
  await first.page.locator(".sidebar").waitFor();
  const signedIn = { storageState: await first.page.context().storageState() };
  await first.leave();
  const inSession: Visits["inSession"] = async (story) => {
    const session = await holdfast.sessions.create({ directory: folder });
    const person = await meet(browser, `${url}/sessions/${session.sessionId}`, signedIn);
    try {
      await story(person, session);
      assert.deepEqual(person.problems, []);
    } finally {
      await person.leave();
    }
  };
  return { ...house, signedIn, inSession };
}
