import { testActivity } from "./conformance/activity.ts";
import { testAsks } from "./conformance/asks.ts";
import { testBatches } from "./conformance/batches.ts";
import { testBodies } from "./conformance/bodies.ts";
import { testCancels } from "./conformance/cancels.ts";
import { testChildren } from "./conformance/children.ts";
import { testFeed } from "./conformance/feed.ts";
import { testInput } from "./conformance/input.ts";
import { testLeases } from "./conformance/leases.ts";
import { testPending } from "./conformance/pending.ts";
import { testPrompts } from "./conformance/prompts.ts";
import { testRecords } from "./conformance/records.ts";
import { testRoom } from "./conformance/room.ts";
import { testSearch } from "./conformance/search.ts";
import { testSessions } from "./conformance/sessions.ts";
import { testWork } from "./conformance/work.ts";
import type { Engine } from "./engine.ts";

/** Tests that every store must pass. */
export function conformance(engine: Engine): void {
  testPrompts(engine);
  testInput(engine);
  testBodies(engine);
  testBatches(engine);
  testCancels(engine);
  testChildren(engine);
  testPending(engine);
  testLeases(engine);
  testFeed(engine);
  testSessions(engine);
  testAsks(engine);
  testWork(engine);
  testRecords(engine);
  testRoom(engine);
  testSearch(engine);
  testActivity(engine);
}
