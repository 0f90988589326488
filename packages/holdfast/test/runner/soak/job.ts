import type { Delivery, Receipt } from "../../../src/kernel/event.ts";

// Messages between the parent of a soak and its workers: plain JSON, one value per line.

export type StoreAddress =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string };

/** Points of its work at which a process can be killed. */
export const points = ["accept", "start", "streaming", "tool", "commit", "settle"] as const;
export type Point = (typeof points)[number];

/** The exact point at which a worker kills itself. Workers without an aim are killed from outside. */
export interface Aim {
  readonly point: Point;
  readonly side: "before" | "during" | "after";
  /** Number of the visit to this point at which the worker kills itself. */
  readonly nth: number;
}

export interface WorkerJob {
  readonly store: StoreAddress;
  /** File that gets a line each time a call acts that must not be repeated. */
  readonly effectsFile: string;
  readonly leaseTtl: number;
  readonly aim: Aim | null;
}

export type Operation =
  | {
      readonly kind: "prompt";
      readonly sessionId: string;
      readonly promptId: string;
      readonly text: string;
      readonly delivery: Delivery;
    }
  | {
      readonly kind: "cancel";
      readonly sessionId: string;
      readonly cancelId: string;
      /** Id of the prompt to cancel; null: cancel everything in the session. */
      readonly promptId: string | null;
    };

export type WorkerInput =
  | { readonly kind: "operation"; readonly id: number; readonly operation: Operation }
  /** Answer when nothing waits and nothing runs any more. */
  | { readonly kind: "rest"; readonly id: number }
  | { readonly kind: "close" };

export type WorkerOutput =
  | { readonly kind: "ready" }
  | { readonly kind: "acknowledged"; readonly id: number; readonly receipt: Receipt | null }
  | { readonly kind: "refused"; readonly id: number; readonly code: string }
  | { readonly kind: "entered" | "left"; readonly point: Point }
  /** The worker is about to kill itself at this point. */
  | { readonly kind: "aimed"; readonly point: Point };

/** The work that a prompt's text asks of the agent. */
export interface Plan {
  readonly steps: number;
  /** Calls that each answer makes, except the last one. */
  readonly calls: readonly CallName[];
  /** True: the run kills its process before it has answered anything. */
  readonly kills?: boolean;
}

/** Of these only `write` may not be repeated; `wait` does nothing until its run is stopped. */
export type CallName = "write" | "read" | "child" | "background" | "wait";
