import type { Directories } from "../../../src/kernel/directories.ts";
import type { Delivery } from "../../../src/kernel/event.ts";
import type { Budget, OnBudget, Usage } from "../../../src/kernel/state.ts";
import { noUsage } from "../../../src/kernel/state.ts";

/** The steps that one exploration allows, and how often. All of them are tried in every order. */
export interface Scenario {
  readonly name: string;
  /** Prompts of one kind are alike, so they are sent in the order of their numbers. */
  readonly prompts: readonly PromptKind[];
  readonly left: Left;
  readonly maxSteps: number;
  /** The answers that a model gives: each is the list of tools that it calls. */
  readonly answers: readonly (readonly Tool[])[];
  readonly cancels: readonly CancelKind[];
  readonly recovery: readonly ("resume" | "hold" | "settle")[];
  /** Ways in which runs may end, other than completing. */
  readonly failures: readonly ("plain" | "hold" | "retry")[];
  /** An ask before a tool: with or without a time at which it expires. */
  readonly asks: readonly ("open" | "expires")[];
  /** Directory limits of people who edit prompts. */
  readonly editors: readonly Directories[];
  /** Child prompts that runs may send to other sessions, each once. */
  readonly children: readonly ChildKind[];
  /** Usage of each step. */
  readonly usage: Usage;
  /** Time for which an ask for a higher limit stays open. Null: until it is answered. */
  readonly askTime: number | null;
  /** False: runs only start, send children and end, so that there is room for more sessions. */
  readonly steps: boolean;
  /** True: a started call may report steps of its own, as a hosted agent does (H1). */
  readonly hosts: boolean;
}

export type SessionName = "a" | "b" | "c";

export interface ChildKind {
  readonly promptId: string;
  readonly from: SessionName;
  readonly to: SessionName;
  readonly background: boolean;
  /** True: linking the child also creates its session. */
  readonly create: boolean;
}

/** Kinds of tool calls. `seen`: a hosted agent executes the call. */
export type Tool = "repeatable" | "once" | "seen";

export type CancelKind =
  | "session"
  | "upTo"
  | "tree"
  | "treeUpTo"
  | "prompt"
  | "queue"
  | "run"
  | "promote";

export interface PromptKind {
  /** One letter. The ids of the prompts consist of this letter and a number. */
  readonly letter: string;
  readonly count: number;
  readonly sessionId: SessionName;
  readonly delivery: Delivery;
  /** A steer that names the run it is for. */
  readonly expected: boolean;
  readonly reply: boolean;
  readonly expires: boolean;
  readonly maxRunTime: number | null;
  /** The directory limit of its sender. */
  readonly directories: Directories;
  /** Accounts are distinguished by their prompts, so a kind with a budget has only one prompt. */
  readonly budget: Budget | null;
  readonly onBudget: OnBudget;
}

/** Number of times that each action may still happen. */
export interface Left {
  readonly crashes: number;
  readonly cancels: number;
  readonly handOvers: number;
  readonly holds: number;
  readonly works: number;
  /** Changes of the session's title, and of whether it is archived. */
  readonly labels: number;
  readonly asks: number;
  readonly moves: number;
  readonly edits: number;
  readonly deletes: number;
  readonly links: number;
  /** Number of waits of more than an hour, after which no run is resumed without a person. */
  readonly hours: number;
}

const nothingLeft: Left = {
  crashes: 0,
  cancels: 0,
  handOvers: 0,
  holds: 0,
  works: 0,
  labels: 0,
  asks: 0,
  moves: 0,
  edits: 0,
  deletes: 0,
  links: 0,
  hours: 0,
};

export function scenario(
  name: string,
  fields: Partial<Omit<Scenario, "name" | "left">> & { readonly left?: Partial<Left> },
): Scenario {
  return {
    name,
    prompts: [],
    maxSteps: 1,
    answers: [[]],
    cancels: ["session"],
    recovery: ["resume"],
    failures: [],
    asks: [],
    editors: [null],
    children: [],
    usage: noUsage,
    askTime: null,
    steps: true,
    hosts: false,
    ...fields,
    left: { ...nothingLeft, ...fields.left },
  };
}

export function kind(letter: string, count: number, fields: Partial<PromptKind> = {}): PromptKind {
  return {
    letter,
    count,
    sessionId: "a",
    delivery: "queue",
    expected: false,
    reply: true,
    expires: false,
    maxRunTime: null,
    directories: null,
    budget: null,
    onBudget: "fail",
    ...fields,
  };
}

/**
 * Returns the child prompt k1 that runs of session a send to session b, or at level 2 the child prompt k2 from b to
 * c.
 */
export function child(
  fields: Pick<ChildKind, "background" | "create">,
  level: 1 | 2 = 1,
): ChildKind {
  return level === 1
    ? { promptId: "k1", from: "a", to: "b", ...fields }
    : { promptId: "k2", from: "b", to: "c", ...fields };
}
