import { wantsNothing } from "../../kernel/attention.ts";
import { packState, unpackState } from "../../kernel/packed.ts";
import type { LaneState } from "../../kernel/state.ts";
import { maxMessage } from "../store.ts";
import type { Signal } from "../store.ts";
import { Channel } from "./channel.ts";
import type { Settings } from "./options.ts";

/** What is committed within this time goes out in one notification. */
const gather = 10;
/** The least time between two: each wakes every process and its connections, whatever it tells. */
const apart = 30;
const everything = "*";
/** Bytes of a lane's state, and of all that go along: few enough to cost less to hear than to read. */
const maxState = 2_000;
const maxStates = 32_000;

/**
 * Hints that lanes have changed: to this process at once, to others through the database. Commits
 * never wait for it.
 */
export class Signals {
  readonly #channel: Channel;
  readonly #listeners = new Set<(signal: Signal) => void>();
  readonly #onState: (state: LaneState) => void;
  readonly #outgoing = new Map<string, Outgoing>();
  #timer: NodeJS.Timeout | null = null;
  #sentAt = Number.NEGATIVE_INFINITY;
  #work: Promise<void> = Promise.resolve();
  #closed = false;

  /** `onState`: lanes as other processes have just committed them; a hint like all the rest. */
  constructor(settings: Settings, onState: (state: LaneState) => void = () => {}) {
    this.#onState = onState;
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
    const known = this.#outgoing.get(sessionId);
    if (seq > (known?.signal.seq ?? 0)) this.#outgoing.set(sessionId, { signal, state });
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
    if (this.#timer !== null) return;
    const wait = Math.max(gather, apart - (performance.now() - this.#sentAt));
    this.#timer = setTimeout(() => {
      this.#work = this.#notify();
    }, wait);
  }

  /**
   * What changes while a notification is on its way goes out with the next one. One that fails is
   * lost: whoever needs the change finds it by looking.
   */
  async #notify(): Promise<void> {
    const outgoing = [...this.#outgoing.values()];
    this.#outgoing.clear();
    this.#sentAt = performance.now();
    const lanes = outgoing.map(({ signal }) => writeSignal(signal)).join(",");
    const text = lanes.length > maxMessage ? everything : lanes;
    await this.#channel.send([text, ...writeStates(outgoing.map(({ state }) => state))]);
    this.#timer = null;
    if (this.#outgoing.size > 0 && !this.#closed) this.#schedule();
  }

  #received(lanes: string): void {
    if (lanes === everything) {
      this.#emit({ kind: "missed" });
      return;
    }
    if (lanes.startsWith(withStates)) for (const state of readStates(lanes)) this.#onState(state);
    else for (const lane of lanes.split(",")) this.#emit(readSignal(lane));
  }

  #emit(signal: Signal): void {
    for (const listener of this.#listeners) listener(signal);
  }
}

type LaneSignal = Extract<Signal, { kind: "lane" }>;

interface Outgoing {
  readonly signal: LaneSignal;
  readonly state: LaneState;
}

/** Begins a text of states. No session's id does: programs that know nothing of it hear of no lane. */
const withStates = "#";

/** In as few texts as hold them. What is left out, others read when they need it. */
function writeStates(states: readonly LaneState[]): string[] {
  const texts: string[] = [];
  let text = "";
  let total = 0;
  for (const state of states) {
    const packed = JSON.stringify(packState(state));
    const length = Buffer.byteLength(packed);
    if (length > maxState || (total += length) > maxStates) continue;
    if (Buffer.byteLength(text) + length + 2 > maxMessage) {
      texts.push(text);
      text = "";
    }
    text += (text === "" ? withStates : "\n") + packed;
  }
  return text === "" ? texts : [...texts, text];
}

/** None of them where one can't be read: whoever needs them reads them in the database. */
function readStates(text: string): LaneState[] {
  try {
    const lines = text.slice(withStates.length).split("\n");
    return lines.map((line): LaneState => unpackState(JSON.parse(line)));
  } catch {
    return [];
  }
}

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
