import type { LaneEvent } from "../../kernel/event.ts";
import type { Progress, ProgressKey } from "./progress.ts";

/** A receiver of deliveries: a webhook, or a device that receives push messages. */
export interface OutboxTarget {
  /** Record with the position and the latest deliveries of the target. */
  readonly progress: ProgressKey;
  /** Decides what to do with an event. Called again for the same event if its delivery is retried. */
  plan(event: LaneEvent, progress: Progress): Promise<Plan>;
  /** Returns a delivery that no event causes; null: none. Omitted: there is never one. */
  extra?(progress: Progress): Promise<Sending | null>;
  /** True if the target still exists. Checked before each search for an event. Omitted: true while its record exists. */
  exists?(): Promise<boolean>;
  /** Removes a target that no longer exists. */
  remove?(): Promise<void>;
}

export type Plan =
  /** The event is not for this target. */
  | { readonly status: "skip" }
  /** `plan` is called again at this time. Until then, later events wait. */
  | { readonly status: "wait"; readonly until: number }
  | ({ readonly status: "send" } & Sending);

export interface Sending {
  readonly deliveryId: string;
  /** Name of the delivery in lists, such as `prompt.settled`. */
  readonly event: string;
  readonly sessionId: string | null;
  readonly seq: number | null;
  /** Sends once. Does not throw. */
  readonly send: () => Promise<Sent>;
  /** New value of `Progress.shown` after the delivery, even if the delivery is given up. */
  readonly shown?: Progress["shown"];
}

/** Result of one try. */
export interface Sent {
  readonly at: number;
  /** HTTP status; null if there was no response. */
  readonly response: number | null;
  readonly problem: string | null;
  /** True: the receiver has said that it no longer exists. */
  readonly isGone?: boolean;
}

export const skip: Plan = { status: "skip" };
