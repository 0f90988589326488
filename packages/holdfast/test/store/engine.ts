import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../src/store/store.ts";
import { audit } from "./audit.ts";
import { openLane } from "./lane-client.ts";
import type { LaneClient } from "./lane-client.ts";

/** A kind of store, as the conformance suite wants it. */
export interface Engine {
  readonly name: string;
  /** A new, empty store. Its clock stands still until a test moves it. */
  open(): Promise<Fixture>;
}

export interface Fixture {
  /** The store as it was opened last. */
  readonly store: Store;
  /** A store on the same database for a second process, if the engine allows one; otherwise the same store. */
  peer(): Promise<Store>;
  advance(milliseconds: number): Promise<void>;
  /** Closes everything that was opened on the database, and opens it again. */
  reopen(): Promise<void>;
  /** Counts the rows in each table of the search index. Reads the database directly, not through the store. */
  indexRows(): Promise<readonly number[]>;
  close(): Promise<void>;
}

export interface Place extends Fixture {
  /** Short names for the commands of one session, on the current store. */
  lane(sessionId: string): LaneClient;
  /** Same as above, and creates the session. */
  newLane(sessionId: string): Promise<LaneClient>;
}

/** Runs a test on a new store. Afterwards the content of the store must agree with its logs. */
export function storeTest(
  engine: Engine,
  name: string,
  body: (place: Place) => Promise<void>,
): void {
  test(`${engine.name}: ${name}`, async () => {
    const fixture = await engine.open();
    const lane = (sessionId: string): LaneClient => openLane(fixture.store, sessionId);
    const place: Place = {
      get store() {
        return fixture.store;
      },
      peer: () => fixture.peer(),
      advance: (milliseconds) => fixture.advance(milliseconds),
      reopen: () => fixture.reopen(),
      indexRows: () => fixture.indexRows(),
      close: () => fixture.close(),
      lane,
      async newLane(sessionId) {
        await lane(sessionId).create();
        return lane(sessionId);
      },
    };
    try {
      await body(place);
      assert.deepEqual(await audit(fixture.store), []);
    } finally {
      await fixture.close();
    }
  });
}
