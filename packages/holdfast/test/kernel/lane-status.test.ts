import assert from "node:assert/strict";
import { test } from "node:test";
import { isIdle, wantsNothing } from "../../src/kernel/attention.ts";
import { sessionStatus } from "../../src/kernel/session-status.ts";
import type { SessionStatus } from "../../src/kernel/session-status.ts";
import * as make from "./support/commands.ts";
import { createWorld, done } from "./support/world.ts";
import type { World } from "./support/world.ts";

// The status of a lane for people, for senders of prompts, and for other processes.

interface Saying {
  readonly story: string;
  readonly tell: (world: World) => void;
  readonly status: SessionStatus;
  /** A prompt that comes now can start with its accept. */
  readonly idle?: true;
  /** Nobody else has to look at it, now or later. */
  readonly calm?: true;
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

const sayings: readonly Saying[] = [
  { story: "new", tell: () => {}, status: "idle", idle: true, calm: true },
  {
    story: "after a run",
    tell: (world) => {
      started(world);
      done(world.end());
    },
    status: "idle",
    idle: true,
    calm: true,
  },
  {
    story: "deleted",
    tell: (world) => {
      started(world);
      done(world.send({ type: "session.delete" }));
    },
    status: "deleted",
    idle: true,
    calm: true,
  },
  { story: "a prompt waits", tell: (world) => void done(world.accept("p1")), status: "queued" },
  {
    story: "work waits",
    tell: (world) => void done(world.send(make.queueWork("w1"))),
    status: "queued",
  },
  { story: "held", tell: held, status: "held", calm: true },
  {
    story: "held with a prompt",
    tell: (world) => {
      held(world);
      done(world.accept("p1"));
    },
    status: "held",
    calm: true,
  },
  {
    story: "held with a prompt that expires",
    tell: (world) => {
      held(world);
      done(world.accept("p1", { expiresAt: 9000 }));
    },
    status: "held",
  },
  {
    story: "held by a failure, until a time",
    tell: (world) => {
      started(world);
      done(world.end({ status: "failed", reason: "noQuota" }, { retryAt: 9000 }));
    },
    status: "held",
  },
  {
    story: "a run, and a prompt waiting after it",
    tell: (world) => {
      started(world);
      done(world.accept("p2"));
    },
    status: "running",
    calm: true,
  },
  {
    story: "a run that may not last",
    tell: (world) => {
      done(world.accept("p1", { maxRunTime: 9000 }));
      done(world.start());
    },
    status: "running",
  },
  {
    story: "a run on a held lane",
    tell: (world) => {
      started(world);
      held(world);
    },
    status: "running",
    calm: true,
  },
  { story: "a run that asks", tell: asking, status: "asking", calm: true },
  {
    story: "a run that asks and has no owner",
    tell: (world) => {
      asking(world);
      done(world.handOver());
    },
    status: "asking",
  },
  {
    story: "a run that must stop",
    tell: (world) => {
      started(world);
      done(world.cancel("k1"));
    },
    status: "stopping",
  },
  {
    story: "a run that nobody has",
    tell: (world) => {
      started(world);
      done(world.handOver());
    },
    status: "cutOff",
  },
  {
    story: "a run that waits for a person",
    tell: (world) => {
      started(world);
      world.lose("node1");
      done(world.takeover({ recovery: "hold" }));
    },
    status: "held",
    calm: true,
  },
  {
    story: "work",
    tell: (world) => {
      done(world.send(make.queueWork("w1")));
      done(world.send({ type: "work.start", workId: "w1", owner: "node1", stopGrace: 5000 }));
    },
    status: "working",
    calm: true,
  },
];

for (const { story, tell, status, idle = false, calm = false } of sayings) {
  test(`L3 ${story}: ${status}, ${idle ? "idle" : "not idle"}, wants ${calm ? "nothing" : "something"}`, () => {
    const world = createWorld();
    tell(world);
    const state = world.state();
    assert.deepEqual(
      { status: sessionStatus(state), idle: isIdle(state), calm: wantsNothing(state) },
      { status, idle, calm },
    );
  });
}
