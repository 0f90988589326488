import assert from "node:assert/strict";
import { test } from "node:test";
import { isIdle, isUnsettled, wantsNothing } from "../../src/kernel/attention.ts";
import { sessionStatus, withoutOwner } from "../../src/kernel/session-status.ts";
import type { SessionStatus } from "../../src/kernel/session-status.ts";
import * as make from "./support/commands.ts";
import { createWorld, done } from "./support/world.ts";
import type { World } from "./support/world.ts";

// The status of a lane for people, for senders of prompts, and for other processes.

interface Example {
  readonly lane: string;
  readonly prepare: (world: World) => void;
  readonly status: SessionStatus;
  /** True if a prompt that arrives now can start at once. */
  readonly idle?: true;
  /** True if no other process has to act on the lane, now or later. */
  readonly calm?: true;
  /** True if a server at rest may end although the lane exists. */
  readonly settled?: true;
}

const started = (world: World): void => {
  done(world.accept("p1"));
  done(world.start());
};
const held = (world: World): void => {
  done(world.send({ type: "hold.place", holdId: "h1", reason: "not yet" }));
};
const asking = (world: World): void => {
  started(world);
  done(world.boundary());
  done(world.answer(["c1"]));
  done(world.ask("a1"));
};

const examples: readonly Example[] = [
  { lane: "a new lane", prepare: () => {}, status: "idle", idle: true, calm: true, settled: true },
  {
    lane: "a lane after a run",
    prepare: (world) => {
      started(world);
      done(world.end());
    },
    status: "idle",
    idle: true,
    calm: true,
    settled: true,
  },
  {
    lane: "a deleted lane",
    prepare: (world) => {
      started(world);
      done(world.send({ type: "session.delete" }));
    },
    status: "deleted",
    idle: true,
    calm: true,
    settled: true,
  },
  { lane: "a waiting prompt", prepare: (world) => void done(world.accept("p1")), status: "queued" },
  {
    lane: "a waiting operation",
    prepare: (world) => void done(world.send(make.queueWork("w1"))),
    status: "queued",
  },
  { lane: "a held lane", prepare: held, status: "held", calm: true, settled: true },
  {
    lane: "a held lane with a prompt",
    prepare: (world) => {
      held(world);
      done(world.accept("p1"));
    },
    status: "held",
    calm: true,
  },
  {
    lane: "a held lane with a prompt that expires",
    prepare: (world) => {
      held(world);
      done(world.accept("p1", { expiresAt: 9000 }));
    },
    status: "held",
  },
  {
    lane: "a lane that is held by a failure, until a time",
    prepare: (world) => {
      started(world);
      done(world.end({ status: "failed", reason: "noQuota" }, { retryAt: 9000 }));
    },
    status: "held",
  },
  {
    lane: "a lane that is held by a failure, without a time",
    prepare: (world) => {
      started(world);
      done(world.end({ status: "failed", reason: "badKey" }, { retryAt: null }));
    },
    status: "held",
    calm: true,
    settled: true,
  },
  {
    lane: "a run, and a prompt waiting after it",
    prepare: (world) => {
      started(world);
      done(world.accept("p2"));
    },
    status: "running",
    calm: true,
  },
  {
    lane: "a run with a time limit",
    prepare: (world) => {
      done(world.accept("p1", { maxRunTime: 9000 }));
      done(world.start());
    },
    status: "running",
  },
  {
    lane: "a run on a held lane",
    prepare: (world) => {
      started(world);
      held(world);
    },
    status: "running",
    calm: true,
  },
  { lane: "a run that asks", prepare: asking, status: "asking", calm: true },
  {
    lane: "a run that asks and has no owner",
    prepare: (world) => {
      asking(world);
      done(world.handOver());
    },
    status: "asking",
  },
  {
    lane: "a run that must stop",
    prepare: (world) => {
      started(world);
      done(world.cancel("k1"));
    },
    status: "stopping",
  },
  {
    lane: "a run without an owner",
    prepare: (world) => {
      started(world);
      done(world.handOver());
    },
    status: "cutOff",
  },
  {
    lane: "a run that waits for a person",
    prepare: (world) => {
      started(world);
      world.lose("node1");
      done(world.takeover({ recovery: "hold" }));
    },
    status: "held",
    calm: true,
  },
  {
    lane: "an operation at work",
    prepare: (world) => {
      done(world.send(make.queueWork("w1")));
      done(world.send({ type: "work.start", workId: "w1", owner: "node1", stopGrace: 5000 }));
    },
    status: "working",
    calm: true,
  },
];

for (const { lane, prepare, status, idle = false, calm = false, settled = false } of examples) {
  const words = [
    idle ? "idle" : "not idle",
    calm ? "wants nothing" : "wants something",
    settled ? "settled" : "not settled",
  ];
  test(`L3 ${lane}: ${status}, ${words.join(", ")}`, () => {
    const world = createWorld();
    prepare(world);
    const state = world.state();
    assert.deepEqual(
      {
        status: sessionStatus(state),
        idle: isIdle(state),
        calm: wantsNothing(state),
        settled: !isUnsettled(state),
      },
      { status, idle, calm, settled },
    );
  });
}

test("R1 without its owner's lease a run is cut off, and an operation is unchanged", () => {
  const running = createWorld();
  started(running);
  const { active, ...rest } = running.state();
  assert(active?.kind === "run");
  const cutOff = withoutOwner(running.state(), 7);
  assert.deepEqual(cutOff, { ...rest, active: { ...active, owner: null, cutOffAt: 7 } });
  assert.equal(sessionStatus(cutOff), "cutOff");

  const working = createWorld();
  done(working.send(make.queueWork("w1")));
  done(working.send({ type: "work.start", workId: "w1", owner: "node1", stopGrace: 5000 }));
  assert.equal(withoutOwner(working.state(), 7), working.state());
});
