import assert from "node:assert/strict";
import { test } from "node:test";
import { maintenanceEventSchema } from "../../../src/contract/maintenance.ts";
import type { MaintenanceAction, MaintenanceNotice } from "../../../src/kernel/maintenance.ts";
import type { StreamsOptions } from "../../../src/server/stream/streams.ts";
import { openStreamFixture } from "./stream-fixture.ts";
import type { Message, StreamReader } from "./reader.ts";

/** Maintenance actions that the test advances. */
function byHand() {
  const listeners = new Set<(action: MaintenanceAction, told: MaintenanceNotice) => void>();
  const actions = new Map<string, MaintenanceAction>();
  const maintenance: StreamsOptions["runtime"]["maintenance"] = {
    open: () => [...actions.values()].filter(({ endedAt }) => endedAt === null),
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const become = (
    actionId: string,
    status: MaintenanceAction["status"],
    ...directories: string[]
  ) => {
    const action = actionOf({ actionId, status, directories });
    actions.set(actionId, action);
    for (const listener of listeners) listener(action, `maintenance.${status}`);
  };
  return { maintenance, become, listeners: () => listeners.size };
}

function actionOf(fields: {
  actionId: string;
  status: MaintenanceAction["status"];
  directories: readonly string[];
}): MaintenanceAction {
  const { actionId, status, directories } = fields;
  const isEnded = status === "completed" || status === "failed";
  const waitingFor = directories.map((directory) => ({
    directory,
    sessionId: `s${directory}`,
    runId: `r${directory}`,
  }));
  return {
    actionId,
    kind: "refresh",
    directories: null,
    mode: "maintenance",
    cause: "request",
    restart: [],
    revoke: [],
    actor: { kind: "client", id: "somebody" },
    requestedAt: 1,
    forced: null,
    parts: [
      isEnded
        ? { nodeId: "n1", status: "done", directories, problems: [] }
        : { nodeId: "n1", status: "deferred", directories, waitingFor },
    ],
    lifted: isEnded,
    status,
    endedAt: isEnded ? 2 : null,
  };
}

/** The change and the directories in a message. */
function changeIn({ id, event, data }: Message): unknown[] {
  assert.deepEqual([id, event], [null, "maintenance"]);
  const { told: name, action } = maintenanceEventSchema.parse(data);
  return [name, action.actionId, action.waitingFor.map(({ directory }) => directory)];
}

async function next(reader: StreamReader): Promise<unknown[]> {
  const message = await reader.next();
  assert.ok(message !== null);
  return changeIn(message);
}

test("M3 a reader gets open actions first, then each change of an action", async (t) => {
  const { maintenance, become, listeners } = byHand();
  const fixture = await openStreamFixture(t, { maintenance });
  become("old", "completed", "/code/a");
  become("one", "deferred", "/code/a", "/code/b");
  const reader = await fixture.read();
  assert.deepEqual(await next(reader), ["maintenance.deferred", "one", ["/code/a", "/code/b"]]);
  assert.equal((await reader.next())?.event, "live");
  become("one", "completed", "/code/a", "/code/b");
  assert.deepEqual(await next(reader), ["maintenance.completed", "one", []]);
  become("two", "failed", "/code/a");
  assert.deepEqual(await next(reader), ["maintenance.failed", "two", []]);
  await reader.cancel();
  assert.equal(listeners(), 0);
});

test("a reader limited to some directories gets only their actions", async (t) => {
  const { maintenance, become } = byHand();
  const fixture = await openStreamFixture(t, { maintenance });
  const reader = await fixture.read({ mayUse: (directory) => directory === "/code/b" });
  assert.equal((await reader.next())?.event, "live");
  become("one", "deferred", "/code/a");
  become("two", "deferred", "/code/a", "/code/b");
  assert.deepEqual(await next(reader), ["maintenance.deferred", "two", ["/code/b"]]);
  await reader.cancel();
});

function events(messages: readonly Message[]): string[] {
  return messages.map(({ event }) => event);
}

test("streams of one session and streams without follow get no maintenance messages", async (t) => {
  const { maintenance, become, listeners } = byHand();
  const fixture = await openStreamFixture(t, { maintenance });
  become("one", "deferred", "/code/a");
  const { sessionId } = await fixture.runtime.createSession({ directory: "/code/a" });
  const reader = await fixture.read({ sessionId });
  const past = await fixture.read({ follow: false });
  assert.deepEqual(events(await reader.until("live")), ["session.created", "live"]);
  assert.deepEqual(events(await past.until("live")), ["session.created", "live"]);
  assert.equal(listeners(), 0);
  await reader.cancel();
});

test("P5 a reader that reads nothing is disconnected, even by maintenance messages", async (t) => {
  const { maintenance, become } = byHand();
  const fixture = await openStreamFixture(t, { maintenance, maxBuffer: 1000 });
  const reader = await fixture.read();
  const live = (await reader.until("live")).at(-1)?.data;
  assert.ok(typeof live === "object" && live !== null && "cursor" in live);
  for (let count = 0; count < 50; count += 1) become(`a${count}`, "deferred", "/code/a");
  const closed = (await reader.until("closed")).at(-1);
  assert.deepEqual(closed?.data, { reason: "slowReader", after: live.cursor });
});
