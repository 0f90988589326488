import assert from "node:assert/strict";
import { test } from "node:test";
import {
  changeAction,
  forcedRuns,
  hasEnded,
  mayLift,
  revokedBy,
} from "../../src/kernel/decide/maintenance.ts";
import { isPartOver, requestAction, noticesBetween } from "../../src/kernel/decide/maintenance.ts";
import type {
  MaintenanceChange,
  MaintenanceRequest,
  ReportedPart,
} from "../../src/kernel/decide/maintenance.ts";
import type { MaintenanceAction, MaintenancePart } from "../../src/kernel/maintenance.ts";

const person = { kind: "client", id: "person" } as const;
const run1 = { directory: "/one", sessionId: "s1", runId: "run1" };
const run2 = { directory: "/one", sessionId: "s2", runId: "run2" };
const problem = { directory: "/one", message: "the server does not start" };

test("M3 in every order of reports, losses, force and lifts an action ends once with the right status", () => {
  const nodes = ["n1", "n2"];
  const changes = changesOf([...nodes, "stranger"]);
  let seen = 0;
  for (const kind of ["refresh", "close"] as const) {
    for (const mode of ["maintenance", "force"] as const) {
      seen += explore(requested({ kind, mode, nodes }), changes);
    }
  }
  assert.equal(seen, 465);
});

test("M5 a force has the same effect at the request and later: it cancels the provider's runs and revokes its key", () => {
  const runs = { waitingFor: [run1, run2], revoked: [run2] };
  for (const { revoke, cancelled } of [
    { revoke: ["openai"], cancelled: [run2] },
    { revoke: [], cancelled: [run1, run2] },
  ]) {
    const gentle = requested({ revoke });
    assert.deepEqual([revokedBy(gentle), forcedRuns(gentle, runs)], [[], []]);
    const later = changeAction(gentle, { type: "force", actor: person, at: 11 });
    for (const forced of [later, requested({ revoke, mode: "force" })]) {
      assert.deepEqual([revokedBy(forced), forcedRuns(forced, runs)], [revoke, cancelled]);
    }
  }
});

test("M3 an action without nodes ends as soon as its holds are lifted", () => {
  const close = requested({ kind: "close", nodes: [] });
  assert.deepEqual([close.status, close.endedAt], ["completed", 10]);
  assert.deepEqual(noticesBetween(null, close), ["maintenance.requested", "maintenance.completed"]);
  const refresh = requested({ kind: "refresh", nodes: [] });
  assert.equal(refresh.status, "requested");
  const lifted = changeAction(refresh, { type: "lift", at: 12 });
  assert.deepEqual([lifted.status, lifted.endedAt], ["completed", 12]);
});

test("M2 M3 a request becomes an action with one part for each live node", () => {
  const wish = {
    directories: ["/two", "/one", "/two"],
    restart: ["b", "a", "b"],
    revoke: ["z", "y"],
  };
  assert.deepEqual(requested({ ...wish, mode: "force", cause: "provider" }), {
    actionId: "action1",
    kind: "refresh",
    directories: ["/one", "/two"],
    mode: "force",
    cause: "provider",
    restart: ["a", "b"],
    revoke: ["y", "z"],
    actor: person,
    requestedAt: 10,
    forced: null,
    parts: [
      { nodeId: "n1", status: "pending" },
      { nodeId: "n2", status: "pending" },
    ],
    lifted: false,
    status: "requested",
    endedAt: null,
  });
});

test("M3 the same id and request is the same action, even if it was forced or has ended since", () => {
  const first = requested({ directories: ["/one", "/two"] });
  const forced = changeAction(first, { type: "force", actor: person, at: 11 });
  const ended = changeAction(requested({ kind: "close" }), {
    type: "lose",
    nodes: ["n1", "n2"],
    at: 12,
  });
  const again = { directories: ["/two", "/one"], nodes: ["n9"], at: 99 };
  assert.equal(requestAction(first, wishFor(again)), first);
  assert.equal(requestAction(forced, wishFor(again)), forced);
  assert.equal(requestAction(ended, wishFor({ kind: "close" })), ended);
});

test("M3 the same id with another request is refused", () => {
  const action = requested({ directories: ["/one"] });
  const others: Partial<MaintenanceRequest>[] = [
    { kind: "close" },
    { directories: null },
    { directories: ["/two"] },
    { mode: "force" },
    { cause: "config" },
    { restart: ["mcp:files"] },
    { revoke: ["openai"] },
  ];
  const verdicts = others.map((other) => {
    const answer = requestAction(action, wishFor({ directories: ["/one"], ...other }));
    return "refusal" in answer ? answer.refusal.code : "accepted";
  });
  assert.deepEqual(
    verdicts,
    others.map(() => "conflict"),
  );
});

test("P5 an action's id is limited in length and characters, and it names directories or all of them", () => {
  assert.deepEqual(
    ["", "a b", "é", "x".repeat(101)].map((actionId) => refusedField({ actionId })),
    ["actionId", "actionId", "actionId", "actionId"],
  );
  assert.equal(refusedField({ directories: [] }), "directories");
  assert.deepEqual(
    [refusedField({ actionId: "x".repeat(100) }), refusedField({ directories: null })],
    [null, null],
  );
});

test("M2 listeners of an action get each status change and the runs that it waits for", () => {
  const told: string[] = [];
  let action = requested({});
  told.push(...noticesBetween(null, action));
  const changes: MaintenanceChange[] = [
    { type: "report", part: deferred("n1", [run1, run2]), at: 11 },
    { type: "report", part: deferred("n1", [run1, run2]), at: 12 },
    { type: "report", part: deferred("n1", [run2]), at: 13 },
    { type: "report", part: done("n2"), at: 14 },
    { type: "force", actor: person, at: 15 },
    { type: "lift", at: 16 },
    { type: "report", part: { ...done("n1"), problems: [problem] }, at: 17 },
    { type: "report", part: failed("n1"), at: 18 },
  ];
  for (const change of changes) {
    const next = changeAction(action, change);
    told.push(`${change.at}`, ...(next === action ? [] : noticesBetween(action, next)));
    action = next;
  }
  assert.equal(
    told.join(" ").replaceAll("maintenance.", ""),
    "requested 11 deferred 12 13 deferred 14 15 deferred 16 17 completed 18",
  );
  assert.deepEqual(action, {
    ...requested({}),
    mode: "force",
    forced: { actor: person, at: 15 },
    parts: [{ ...done("n1"), problems: [problem] }, done("n2")],
    lifted: true,
    status: "completed",
    endedAt: 17,
  });
});

test("M2 a part names its directories, and they may change with the part", () => {
  const first = changeAction(requested({}), { type: "report", part: deferred("n1", []), at: 11 });
  const part = { ...deferred("n1", []), directories: ["/one", "/two"] };
  assert.deepEqual(changeAction(first, { type: "report", part, at: 12 }).parts[0], part);
});

test("M2 no notice is sent while nodes only begin, and a late listener gets all at once", () => {
  const action = requested({});
  const half = changeAction(action, { type: "report", part: done("n1"), at: 11 });
  assert.deepEqual([half.status, noticesBetween(action, half)], ["requested", []]);
  const waits = changeAction(half, { type: "report", part: deferred("n2", [run1]), at: 12 });
  assert.deepEqual(noticesBetween(null, waits), ["maintenance.requested", "maintenance.deferred"]);
});

/** Visits all states that the changes lead to, and tries each change in each. Returns their number. */
function explore(start: MaintenanceAction, changes: readonly MaintenanceChange[]): number {
  const known = new Map([[JSON.stringify(start), start]]);
  for (const action of known.values()) {
    checkState(action);
    for (const change of changes) {
      const next = changeAction(action, change);
      checkChange(action, next, change);
      known.set(JSON.stringify(next), next);
    }
  }
  return known.size;
}

function checkState(action: MaintenanceAction): void {
  const over = action.parts.every(isPartOver) && action.lifted;
  assert.equal(hasEnded(action), over);
  assert.equal(hasEnded(action), ["completed", "failed"].includes(action.status));
  if (over) {
    const anyFailed = action.parts.some(({ status }) => status === "failed");
    assert.equal(action.status, anyFailed ? "failed" : "completed");
  }
  // In any state: when the nodes are gone and all config versions are released, the action ends.
  const lost = changeAction(action, { type: "lose", nodes: ["n1", "n2"], at: 50 });
  assert.ok(hasEnded(changeAction(lost, { type: "lift", at: 50 })));
}

function checkChange(
  before: MaintenanceAction,
  after: MaintenanceAction,
  change: MaintenanceChange,
): void {
  const where = JSON.stringify({ before, change });
  if (after === before) return;
  assert.ok(!hasEnded(before), where);
  assert.notDeepEqual(after, before, where);
  const [first, second] = [before.parts, after.parts];
  assert.equal(first.length, second.length, where);
  const changed = first.filter((part, index) => part !== second[index]);
  assert.ok(!changed.some(isPartOver), where);
  assert.deepEqual(first.map(idOf), second.map(idOf), where);
  assert.deepEqual(
    second.filter((part) => !first.includes(part)).map(idOf),
    change.type === "report"
      ? [change.part.nodeId]
      : change.type === "lose"
        ? changed.map(idOf)
        : [],
    where,
  );
  if (change.type === "lose") {
    assert.ok(
      changed.every(({ nodeId }) => change.nodes.includes(nodeId)),
      where,
    );
  }
  const lifts = !before.lifted && after.lifted;
  assert.equal(lifts, change.type === "lift" && mayLift(before), where);
  if (lifts)
    assert.ok(
      before.parts.every(({ status }) => status !== "pending"),
      where,
    );
  const forces = before.mode !== after.mode;
  assert.equal(forces, change.type === "force", where);
  if (forces) assert.deepEqual(after.forced, { actor: person, at: change.at }, where);
  else assert.equal(after.forced, before.forced, where);
  const waits = after.parts.some(({ status }) => status === "deferred");
  if (waits || (before.status === "deferred" && !hasEnded(after)))
    assert.equal(after.status, "deferred", where);
  else if (!hasEnded(after)) assert.equal(after.status, "requested", where);
  assert.equal(after.endedAt, hasEnded(after) ? change.at : null, where);
}

function changesOf(nodes: readonly string[]): MaintenanceChange[] {
  const at = 20;
  const parts = nodes.flatMap((nodeId): ReportedPart[] => [
    deferred(nodeId, [run1, run2]),
    deferred(nodeId, [run2]),
    { ...deferred(nodeId, [run2]), directories: ["/one", "/two"] },
    done(nodeId),
    failed(nodeId),
  ]);
  return [
    ...parts.map((part) => ({ type: "report", part, at }) as const),
    ...nodes.map((nodeId) => ({ type: "lose", nodes: [nodeId], at }) as const),
    { type: "lose", nodes: [], at },
    { type: "lose", nodes, at },
    { type: "lift", at },
    { type: "force", actor: person, at },
  ];
}

function idOf({ nodeId }: MaintenancePart): string {
  return nodeId;
}

function deferred(
  nodeId: string,
  waitingFor: (typeof run1)[],
): Extract<ReportedPart, { status: "deferred" }> {
  return { nodeId, status: "deferred", directories: ["/one"], waitingFor };
}

function done(nodeId: string): Extract<ReportedPart, { status: "done" }> {
  return { nodeId, status: "done", directories: ["/one"], problems: [] };
}

function failed(nodeId: string): ReportedPart {
  return { nodeId, status: "failed", directories: ["/one"], problems: [problem] };
}

function requested(fields: Partial<MaintenanceRequest>): MaintenanceAction {
  const action = requestAction(null, wishFor(fields));
  assert.ok(!("refusal" in action));
  return action;
}

function refusedField(request: Partial<MaintenanceRequest>): string | null {
  const answer = requestAction(null, wishFor(request));
  return "refusal" in answer && answer.refusal.code === "invalid" ? answer.refusal.field : null;
}

function wishFor(fields: Partial<MaintenanceRequest>): MaintenanceRequest {
  return {
    actionId: "action1",
    kind: "refresh",
    directories: null,
    mode: "maintenance",
    cause: "request",
    restart: [],
    revoke: [],
    actor: person,
    nodes: ["n1", "n2"],
    at: 10,
    ...fields,
  };
}
