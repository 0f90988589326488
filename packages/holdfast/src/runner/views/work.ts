import type { Actor } from "../../kernel/event.ts";

/** Exclusive work as people see it. */
export interface WorkView {
  readonly sessionId: string;
  readonly workId: string;
  readonly name: string;
  readonly actor: Actor;
  readonly status: "queued" | "running" | "stopping" | "ended";
  /** Why it ended; null until then. Only `done` has done all that was asked. */
  readonly cause: "done" | "cancelled" | "enforced" | "takeover" | "deleted" | null;
  readonly input: unknown;
  /** What it said at its end. */
  readonly result: WorkResult | null;
  readonly queuedAt: number;
  readonly endedAt: number | null;
}

/** `failed`: it could not be done, and `message` says why. */
export type WorkResult =
  | { readonly status: "completed"; readonly value: unknown }
  | { readonly status: "failed"; readonly code: string; readonly message: string };
