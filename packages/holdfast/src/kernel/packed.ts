import { noUsage } from "./state.ts";
import type {
  BackgroundChild,
  LaneState,
  Run,
  UnsettledPrompt,
  WaitingWork,
  Work,
} from "./state.ts";

// Every commit writes the whole state of a lane, and the state is large if the queue is long. The stored form therefore
// omits fields that have their default value.

/** A lane's state in its stored form. */
export type PackedState = Packed<Omit<LaneState, "queue" | "active">, typeof usualState> & {
  readonly queue?: readonly (PackedPrompt | WaitingWork)[];
  readonly active?: PackedRun | Work | null;
};

type Packed<T, Usual> = Partial<T> & Omit<T, keyof Usual>;
type PackedPrompt = Packed<UnsettledPrompt, typeof usualPrompt>;
type PackedRun = Packed<Omit<Run, "prompts">, typeof usualRun> & {
  readonly prompts: readonly PackedPrompt[];
};

export function packState(state: LaneState): PackedState {
  const { sessionId, status, contentHash, directory, seq, queue, active } = state;
  const waiting = queue.map((item) => (item.kind === "work" ? item : packPrompt(item)));
  return {
    sessionId,
    status,
    contentHash,
    directory,
    seq,
    ...unusual(state, usualState),
    ...(queue.length === 0 ? {} : { queue: waiting }),
    ...(active === null ? {} : { active: active.kind === "run" ? packRun(active) : active }),
  };
}

/**
 * Returns the complete state. Also accepts a state that was stored with all its fields, or before a field was
 * introduced.
 */
export function unpackState(packed: PackedState): LaneState {
  const { queue = [], active = null, background = [], ...rest } = packed;
  return {
    ...usualState,
    ...rest,
    background: background.map((child) => ({ ...usualChild, ...child })),
    queue: queue.map((item) => (item.kind === "work" ? item : unpackPrompt(item))),
    active: active?.kind === "run" ? unpackRun(active) : active,
  };
}

/**
 * Compile-time check: each field of `T` has a usual value, unless it is one of the fields `Written`, which packing
 * always writes. Without this check, a new optional field would be lost when the state is stored.
 */
type EveryFieldBut<T, Written extends keyof T> = {
  readonly [Field in Exclude<keyof T, Written>]-?: T[Field];
};

const usualState = {
  parent: null,
  title: null,
  archived: false,
  mode: null,
  agent: null,
  fence: 0,
  holds: [],
  background: [],
  branches: [],
  ancestors: [],
  usage: noUsage,
  budget: null,
  onBudget: "fail",
} as const satisfies EveryFieldBut<
  LaneState,
  "sessionId" | "status" | "contentHash" | "directory" | "seq" | "queue" | "active"
>;

const usualPrompt = {
  kind: "prompt",
  parent: null,
  revision: 1,
  binding: null,
  reply: true,
  expiresAt: null,
  maxRunTime: null,
  budget: null,
  onBudget: "fail",
  accounts: [],
  origin: null,
  unwanted: false,
  directories: null,
} as const satisfies EveryFieldBut<UnsettledPrompt, "promptId" | "acceptSeq">;

const usualRun = { waitsFor: null, directories: null, agent: null } as const satisfies Partial<Run>;

/** Releases before 0.2 did not record which prompt a child descends from. */
const usualChild = { acceptSeq: 0, origin: null } as const satisfies Partial<BackgroundChild>;

function packPrompt(prompt: UnsettledPrompt): PackedPrompt {
  const { promptId, acceptSeq } = prompt;
  return { promptId, acceptSeq, ...unusual(prompt, usualPrompt) };
}

function unpackPrompt(packed: PackedPrompt): UnsettledPrompt {
  return { ...usualPrompt, ...packed };
}

function packRun(run: Run): PackedRun {
  const { waitsFor, directories, agent, ...rest } = run;
  return {
    ...rest,
    ...(waitsFor === null ? {} : { waitsFor }),
    ...(directories === null ? {} : { directories }),
    ...(agent === null ? {} : { agent }),
    prompts: run.prompts.map(packPrompt),
  };
}

function unpackRun(packed: PackedRun): Run {
  return { ...usualRun, ...packed, prompts: packed.prompts.map(unpackPrompt) };
}

function unusual<T extends object>(value: T, usual: Partial<T>): Partial<T> {
  const found: Partial<T> = {};
  for (const key in usual) if (!isUsual(value[key], usual[key])) found[key] = value[key];
  return found;
}

function isUsual(value: unknown, usual: unknown): boolean {
  return value === usual || (Array.isArray(value) && value.length === 0);
}
