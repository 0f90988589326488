import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventData, LaneEvent } from "../../src/kernel/event.ts";
import { checkHistory } from "./support/check-history.ts";
import type { Outcome } from "../../src/kernel/state.ts";
import * as make from "./support/commands.ts";
import { createWorld, done, person } from "./support/world.ts";
import type { World } from "./support/world.ts";

// Each tampered log below must be detected, with the promise that it breaks.

/** Run r1 of p1, which has taken in s1 and answered with call c1; q1 and message m1 wait. */
function story(): World {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1"));
  done(world.accept("s1", { delivery: "steer" }));
  done(world.boundary());
  done(world.answer(["c1"]));
  done(world.accept("q1"));
  done(world.accept("m1", { reply: false }));
  return world;
}

function forge(log: readonly LaneEvent[], ...added: EventData[]): LaneEvent[] {
  const forged = [...log];
  for (const data of added) {
    const seq = forged.length + 1;
    forged.push({ sessionId: "main", seq, at: 1000, actor: person, version: 1, ...data });
  }
  return forged;
}

/** Numbers of the promises that the log breaks, without the positions. */
function broken(log: readonly LaneEvent[]): string[] {
  return checkHistory(log).map((problem) => problem.replace(/ \(seq .*/, ""));
}

const outcome: Outcome = { status: "completed", reason: null, runId: "r1", result: null };
const writer = { runId: "r1", fence: 1, attempt: 1 };
const started = { type: "tool.started", callId: "c1", body: null } as const;
const limits = { maxSteps: 1, stopGrace: 1, budget: null };

test("the check finds no broken promise in a log written by the kernel, or in an empty log", () => {
  const world = story();
  assert.deepEqual([broken(world.events()), broken([])], [[], []]);
  done(world.startTool("c1"));
  done(world.endTool("c1"));
  done(world.end());
  assert.deepEqual(broken(world.events()), []);
});

test("T2 a log with a gap, without its beginning or with another session's event is detected", () => {
  const log = story().events();
  assert.equal(broken(log.toSpliced(3, 1))[0], "T2: the log has a gap");
  const twice = forge(log, ...log.slice(0, 1));
  assert.equal(
    broken(twice).includes("T2: a log must begin with session.created, exactly once"),
    true,
  );
  const foreign = log.map((event, index) => (index === 2 ? { ...event, sessionId: "x" } : event));
  assert.deepEqual(broken(foreign), ["T2: an event of another session"]);
});

const forgeries: [problem: string, ...added: EventData[]][] = [
  [
    "P2: a prompt has two outcomes",
    { type: "prompt.settled", promptId: "q1", outcome },
    { type: "prompt.settled", promptId: "q1", outcome },
  ],
  [
    "P2: an outcome for a prompt that never arrived",
    { type: "prompt.settled", promptId: "p9", outcome },
  ],
  ["P3: a prompt was accepted twice", { type: "prompt.tombstoned", promptId: "p1", outcome }],
  [
    "P7: a prompt joins a run out of order",
    { type: "prompt.takenIn", promptId: "m1", runId: "r1" },
  ],
  [
    "P7: a prompt joins a run out of order",
    { type: "prompt.takenIn", promptId: "q1", runId: "r1" },
  ],
  [
    "L6: a prompt joins a run although it does not wait",
    { type: "prompt.takenIn", promptId: "p9", runId: "r1" },
  ],
  [
    "C6: a prompt is changed although it does not wait",
    { type: "prompt.edited", promptId: "p1", revision: 2, body: "b" },
  ],
  [
    "L1: a second run starts",
    {
      type: "run.started",
      promptId: "q1",
      owner: "node1",
      generation: null,
      limits,
      deadline: null,
      ...writer,
      runId: "r2",
      fence: 2,
    },
  ],
  [
    "L1: exclusive work starts on a busy lane",
    { type: "work.started", workId: "w1", owner: "node1", fence: 2, stopGrace: 1 },
  ],
  [
    "L2: work starts although it is not first",
    { type: "work.queued", workId: "w1", name: "compact", body: null },
    { type: "work.started", workId: "w1", owner: "node1", fence: 2, stopGrace: 1 },
  ],
  [
    "L5: work starts under a used fence",
    { type: "work.started", workId: "w1", owner: "node1", fence: 1, stopGrace: 1 },
  ],
  [
    "P3: work was queued twice",
    { type: "work.queued", workId: "w1", name: "compact", body: null },
    { type: "work.ended", workId: "w1", cause: "cancelled", body: null },
    { type: "work.queued", workId: "w1", name: "compact", body: null },
  ],
  [
    "M8: work ends although it was never queued or has already ended",
    { type: "work.queued", workId: "w1", name: "compact", body: null },
    { type: "work.ended", workId: "w1", cause: "cancelled", body: null },
    { type: "work.ended", workId: "w1", cause: "cancelled", body: null },
  ],
  [
    "M8: a deleted session accepts work",
    { type: "session.deleted" },
    { type: "work.queued", workId: "w1", name: "compact", body: null },
  ],
  [
    "M8: a deleted session is renamed or archived",
    { type: "session.deleted" },
    { type: "session.renamed", title: "Late", auto: false },
  ],
  [
    "M8: a deleted session is renamed or archived",
    { type: "session.deleted" },
    { type: "session.archived", archived: true },
  ],
  [
    "a program takes the place of a title",
    { type: "session.renamed", title: "Chosen", auto: false },
    { type: "session.renamed", title: "Proposed", auto: true },
  ],
  ["R2: a call starts that is in no committed answer", { ...started, ...writer, callId: "c9" }],
  [
    "R2: a call starts twice or without permission",
    { ...started, ...writer },
    { ...started, ...writer },
  ],
  [
    "T1: a call ends although it is not open",
    { type: "tool.ended", callId: "c9", status: "completed", body: null, ...writer },
  ],
  [
    "R4: an ask is closed although it is not open",
    { type: "ask.closed", runId: "r1", askId: "a1", resolution: { kind: "expired" } },
  ],
  ["L5: a write under an old fence", { ...started, ...writer, fence: 0 }],
  ["L5: a write under an old attempt", { ...started, ...writer, attempt: 0 }],
  ["L5: a write to a run that is not active", { ...started, ...writer, runId: "r9" }],
  [
    "P2: a run ends and leaves a prompt without an outcome",
    {
      type: "run.ended",
      runId: "r1",
      attempt: 1,
      outcome,
      usage: { inputTokens: 0, outputTokens: 0, cost: 0 },
    },
  ],
];

for (const [problem, ...added] of forgeries) {
  test(`a log in which ${added.map((data) => data.type).join(", then ")} is detected: ${problem}`, () => {
    assert.equal(broken(forge(story().events(), ...added)).includes(problem), true);
  });
}

test("a log with exclusive operations and labels that the kernel wrote breaks no promise", () => {
  const world = createWorld();
  done(world.send(make.queueWork("w1")));
  done(world.send({ type: "work.start", workId: "w1", owner: "node1", stopGrace: 1 }));
  done(world.send(make.queueWork("w2")));
  done(world.send({ type: "session.rename", title: "Proposed", auto: true }));
  done(world.send({ type: "session.rename", title: "Chosen", auto: false }));
  done(world.send({ type: "session.archive", archived: true }));
  done(world.cancel("x1"));
  done(world.send(make.queueWork("w3")));
  done(world.cancel("x2", { upTo: world.state().queue[0]?.acceptSeq ?? 0 }));
  done(world.send(make.endWork("w1", 1)));
  assert.deepEqual(broken(world.events()), []);
});

/** Returns the problems of a log in which a run has caused the given event. */
function byRun(data: EventData): string[] {
  return broken(
    forge(createWorld().events(), data).map((event) =>
      event.type === data.type ? { ...event, actor: { kind: "run", id: "r1" } } : event,
    ),
  );
}

test("a mode or an agent that a run has set is detected; a title that a run has set is allowed", () => {
  assert.deepEqual(byRun({ type: "session.modeSet", mode: "acceptEdits" }), [
    "a run sets the mode of a session",
  ]);
  assert.deepEqual(byRun({ type: "session.agentSet", agent: "planner" }), [
    "a run sets the agent of a session",
  ]);
  assert.deepEqual(byRun({ type: "session.renamed", title: "Proposed", auto: true }), []);
});

test("M8 a receipt that names the wrong exclusive operation is detected", () => {
  const world = createWorld();
  done(world.send(make.queueWork("w1")));
  done(world.accept("p1"));
  const { acceptSeq } = world.row("p1");
  done(world.send(make.queueWork("w2")));
  done(world.cancel("x1", { upTo: acceptSeq }));
  const tampered = (work: string[]): string[] =>
    broken(
      world
        .events()
        .map((event) =>
          event.type === "cancel.committed"
            ? { ...event, receipt: { ...event.receipt, work } }
            : event,
        ),
    );
  const problem = "M8: a cancel does not end exactly the work queued before it";
  assert.deepEqual(
    [tampered(["w1"]), tampered([]), tampered(["w1", "w2"])],
    [[], [problem], [problem]],
  );
});

test("P7 a message may be added after steers that join with it, not after an exclusive operation", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1"));
  done(world.accept("s1", { delivery: "steer" }));
  done(world.accept("m1", { reply: false }));
  const takenIn: EventData = { type: "prompt.takenIn", promptId: "m1", runId: "r1" };
  const settled: EventData = { type: "prompt.settled", promptId: "m1", outcome };
  assert.deepEqual(broken(forge(world.events(), takenIn, settled)), []);
  const behindWork = createWorld();
  done(behindWork.accept("p1"));
  done(behindWork.start("r1"));
  done(behindWork.send(make.queueWork("w1")));
  done(behindWork.accept("m1", { reply: false }));
  const log = forge(behindWork.events(), takenIn, settled);
  assert.deepEqual(broken(log), ["P7: a prompt joins a run out of order"]);
});

test("C1 a receipt that names too many, too few or the wrong prompts is detected", () => {
  const world = story();
  done(world.cancel("x1", { upTo: world.row("q1").acceptSeq }));
  const at = world.events().findIndex((event) => event.type === "cancel.committed");
  const problem = "C1: a cancel does not cover exactly the prompts accepted before it";
  const tampered = (change: (ids: string[]) => string[]): LaneEvent[] =>
    world.events().map((event, index) => {
      if (index !== at || event.type !== "cancel.committed") return event;
      const known = new Map(event.receipt.covered.map((entry) => [entry.promptId, entry]));
      const covered = change([...known.keys()]).flatMap((promptId) => {
        const entry = known.get(promptId);
        return entry === undefined
          ? [{ promptId, acceptSeq: 99, was: "queued", runId: null } as const]
          : [entry];
      });
      return { ...event, receipt: { ...event.receipt, covered } };
    });
  assert.equal(broken(tampered((ids) => ids)).includes(problem), false);
  assert.equal(broken(tampered((ids) => ids.slice(1))).includes(problem), true);
  assert.equal(broken(tampered((ids) => [...ids, "m1"])).includes(problem), true);
  assert.equal(broken(tampered((ids) => [...ids.slice(1), "m1"])).includes(problem), true);
});

test("C5 a stopping run that continues, or ends with another outcome, is detected", () => {
  const world = createWorld();
  done(world.accept("p1", { maxRunTime: 10 }));
  done(world.start("r1"));
  done(world.accept("s1", { delivery: "steer" }));
  done(world.tick(10));
  const log = world.events();
  const goesOn = "C5: a stopping run continues";
  const takenIn: EventData = { type: "prompt.takenIn", promptId: "s1", runId: "r1" };
  assert.deepEqual(broken(forge(log, takenIn)), [goesOn]);
  assert.deepEqual(broken(forge(log, { type: "step.opened", step: 1, ...writer })), [goesOn]);

  const end = (status: Outcome["status"], before: readonly LaneEvent[] = log): string[] => {
    const { runId, attempt } = writer;
    const ended = { ...outcome, status };
    const usage = { inputTokens: 0, outputTokens: 0, cost: 0 };
    const all = forge(
      before,
      { type: "prompt.settled", promptId: "p1", outcome: ended },
      { type: "run.ended", runId, attempt, outcome: ended, usage },
    );
    return broken(all).filter((problem) => problem.startsWith("C5"));
  };
  const otherwise = "C5: a stopping run ends with another outcome";
  // The run was stopped for its time limit, so it must fail. Only the cancel of a delete takes precedence.
  assert.deepEqual([end("failed"), end("cancelled")], [[], []]);
  assert.deepEqual(end("completed"), [otherwise]);
  const told = { ...outcome, status: "failed" } as const;
  const closing = forge(log, {
    type: "run.closing",
    runId: "r1",
    attempt: 1,
    outcome: told,
    mark: null,
  });
  assert.deepEqual([end("failed", closing), end("cancelled", closing)], [[], [otherwise]]);
});
