import { wantsNothing } from "../../kernel/attention.ts";
import type { LaneState } from "../../kernel/state.ts";
import { maxMessage } from "../store.ts";
import type { Signal } from "../store.ts";
import { Channel } from "./channel.ts";
import type { Settings } from "./options.ts";

/** What is committed within this time goes out in one notification. */
const notifyEvery = 10;
const everything = "*";

/**
 * Hints that lanes have changed: to this process at once, to others through the database. Commits
 * never wait for it.
 */
export class Signals {
  readonly #channel: Channel;
  readonly #listeners = new Set<(signal: Signal) => void>();
  readonly #outgoing = new Map<string, LaneSignal>();
  #timer: NodeJS.Timeout | null = null;
  #work: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(settings: Settings) {
    this.#channel = new Channel({
      settings,
      prefix: "holdfast",
      onOpen: () => this.#emit({ kind: "missed" }),
      onText: (lanes) => this.#received(lanes),
    });
  }

  /** Resolves when others' signals arrive, or when that has failed for now. */
  async open(): Promise<void> {
    await this.#channel.open();
  }

  watch(listener: (signal: Signal) => void): () => void {
    // One function may watch twice; each watch ends by itself.
    const own = (signal: Signal): void => listener(signal);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  changed(state: LaneState): void {
    const { sessionId, seq } = state;
    const isCalm = wantsNothing(state);
    const signal = {
      kind: "lane",
      sessionId,
      seq,
      wantsNothing: isCalm,
      isForeign: false,
    } as const;
    this.#emit(signal);
    if (this.#closed) return;
    // Two commits of a lane may be reported in either order: what the later one wants counts.
    if (seq > (this.#outgoing.get(sessionId)?.seq ?? 0)) this.#outgoing.set(sessionId, signal);
    this.#schedule();
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

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#work = this.#notify();
    }, notifyEvery);
  }

  /**
   * What changes while a notification is on its way goes out with the next one. One that fails is
   * lost: whoever needs the change finds it by looking.
   */
  async #notify(): Promise<void> {
    const lanes = Array.from(this.#outgoing.values(), writeSignal).join(",");
    this.#outgoing.clear();
    await this.#channel.send([lanes.length > maxMessage ? everything : lanes]);
    this.#timer = null;
    if (this.#outgoing.size > 0 && !this.#closed) this.#schedule();
  }

  #received(lanes: string): void {
    if (lanes === everything) {
      this.#emit({ kind: "missed" });
      return;
    }
    for (const lane of lanes.split(",")) this.#emit(readSignal(lane));
  }

  #emit(signal: Signal): void {
    for (const listener of this.#listeners) listener(signal);
  }
}

type LaneSignal = Extract<Signal, { kind: "lane" }>;

/** Before the seq of a lane that wants nothing. Programs that know nothing of it read the same number. */
const calm = "+";

function writeSignal({ sessionId, seq, wantsNothing: isCalm }: LaneSignal): string {
  return `${sessionId}:${isCalm ? calm : ""}${seq}`;
}

function readSignal(text: string): LaneSignal {
  const colon = text.lastIndexOf(":");
  const version = text.slice(colon + 1);
  return {
    kind: "lane",
    sessionId: text.slice(0, colon),
    seq: Number(version),
    wantsNothing: version.startsWith(calm),
    isForeign: true,
  };
}
