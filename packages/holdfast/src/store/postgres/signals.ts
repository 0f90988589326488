import { addListener } from "../../base/listeners.ts";
import type { LaneState } from "../../kernel/state.ts";
import { checkId } from "../../kernel/validate.ts";
import { ownSignal } from "../lane-signal.ts";
import type { LaneSignal } from "../lane-signal.ts";
import { maxMessage } from "../store.ts";
import type { Signal } from "../store.ts";
import { Channel } from "./channel.ts";
import type { ChannelOptions } from "./channel.ts";

/** Milliseconds in which commits are collected to share one notification. */
const gather = 10;
/** Minimum milliseconds between two notifications, because each one wakes every process. */
const apart = 30;
const everything = "*";

/**
 * Hints that lanes have changed: to this process at once, to others through the database. Commits never wait
 * for hints, and a hint contains no state: a process that needs the lane reads it.
 */
export class Signals {
  readonly #channel: Channel;
  readonly #listeners = new Set<(signal: Signal) => void>();
  readonly #outgoing = new Map<string, LaneSignal>();
  #timer: NodeJS.Timeout | null = null;
  #sentAt = Number.NEGATIVE_INFINITY;
  #work: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: Pick<ChannelOptions, "settings" | "key" | "onRejected">) {
    this.#channel = new Channel({
      ...options,
      prefix: "holdfast_lanes",
      onOpen: () => this.#emit({ kind: "missed" }),
      onText: (text) => this.#received(text),
    });
  }

  /** Connects. Resolves when this process can receive signals of others, or when the attempt has failed. */
  async open(): Promise<void> {
    await this.#channel.open();
  }

  watch(listener: (signal: Signal) => void): () => void {
    return addListener(this.#listeners, listener);
  }

  changed(state: LaneState, at: number): void {
    const signal = ownSignal(state, at);
    this.#enqueue(signal);
    // Last: if a listener throws, the other processes still get the signal.
    this.#emit(signal);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#work;
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      await this.#notify();
    }
    await this.#channel.close();
  }

  #enqueue(signal: LaneSignal): void {
    if (this.#closed) return;
    const { sessionId, seq } = signal;
    // Two commits of a lane may be reported in any order. Keep the later one.
    if (seq > (this.#outgoing.get(sessionId)?.seq ?? 0)) this.#outgoing.set(sessionId, signal);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== null) return;
    const wait = Math.max(gather, apart - (performance.now() - this.#sentAt));
    this.#timer = setTimeout(() => {
      this.#work = this.#notify();
    }, wait);
  }

  /**
   * Notifies the other nodes of changed sessions. The next notification contains changes that arrive while this one is
   * sent. If sending fails, the notification is lost: the other nodes find the changes when they next search the
   * database for work.
   */
  async #notify(): Promise<void> {
    const lanes = [...this.#outgoing.values()].map(writeSignal).join(",");
    this.#outgoing.clear();
    this.#sentAt = performance.now();
    await this.#channel.send([lanes.length > maxMessage ? everything : lanes]);
    this.#timer = null;
    if (this.#outgoing.size > 0 && !this.#closed) this.#schedule();
  }

  #received(text: string): boolean {
    if (text === everything) {
      this.#emit({ kind: "missed" });
      return true;
    }
    const signals = text.split(",").map(readSignal);
    for (const signal of signals) if (signal !== null) this.#emit(signal);
    return !signals.includes(null);
  }

  #emit(signal: Signal): void {
    for (const listener of this.#listeners) listener(signal);
  }
}

/** Written before the seq in a signal. It means that no process has to act on the session. */
const calm = "+";

function writeSignal({ sessionId, seq, wantsNothing: isCalm }: LaneSignal): string {
  return `${sessionId}:${isCalm ? calm : ""}${seq}`;
}

/** Parses a signal. Returns null if the text is not a signal. */
function readSignal(text: string): LaneSignal | null {
  const colon = text.lastIndexOf(":");
  const sessionId = text.slice(0, colon);
  const version = text.slice(colon + 1);
  if (checkId("sessionId", sessionId) !== null || !/^\+?\d{1,15}$/.test(version)) return null;
  return {
    kind: "lane",
    sessionId,
    seq: Number(version),
    ready: null,
    wantsNothing: version.startsWith(calm),
    isForeign: true,
  };
}
