import type { LaneEvent } from "../../kernel/event.ts";
import type { Progress, ProgressKey } from "./progress.ts";

/** A receiver of deliveries: a webhook, or a device that receives push messages. */
export interface OutboxTarget {
  /** Key of the record that stores up to which event the target is served, and its latest deliveries. */
  readonly progress: ProgressKey;
  /** Decides whether to send an event to this target. Called again for the same event if its delivery is retried. */
  plan(event: LaneEvent, progress: Progress): Promise<Plan>;
  /** Returns a delivery that is not caused by an event; null if there is none now. Omitted: there is never one. */
  extra?(progress: Progress): Promise<Sending | null>;
  /**
   * True if the target still exists. Called before each search for an event. Omitted: the target exists while its
   * record does.
   */
  exists?(): Promise<boolean>;
  /** Deletes this target, such as a push subscription, from the database. Called after `exists` has returned false. */
  remove?(): Promise<void>;
}

export type Plan =
  /** The event is not for this target. */
  | { readonly status: "skip" }
  /**
   * Delay this event and all later events until this time, and then call `plan` again. `meanwhile`: a delivery
   * that need not wait; null: there is none now.
   */
  | { readonly status: "wait"; readonly until: number; readonly meanwhile: Sending | null }
  | ({ readonly status: "send" } & Sending);

export interface Sending {
  readonly deliveryId: string;
  /** Event type that the list of deliveries shows, such as `prompt.settled`. */
  readonly event: string;
  readonly sessionId: string | null;
  readonly seq: number | null;
  /** Makes one attempt to send the delivery. Does not throw. */
  readonly send: () => Promise<Sent>;
  /** New value of `Progress.shown` after the delivery, even if it was given up. */
  readonly shown?: Progress["shown"];
}

/** Result of one attempt to send a delivery. */
export interface Sent {
  readonly at: number;
  /** HTTP status; null if there was no response. */
  readonly response: number | null;
  readonly problem: string | null;
  /** True if the receiver has answered that it no longer exists. */
  readonly isGone?: boolean;
}

export const skip: Plan = { status: "skip" };
