import type { Answer } from "../../../src/kernel/transaction.ts";
import { StoreError } from "../../../src/store/store-error.ts";
import type { Signal, Store, StoreRequest } from "../../../src/store/store.ts";

/** A store that the test controls: calls can be delayed, fail or hang, and signals can be dropped. */
export interface TamperedStore extends Store {
  /** Holds back the next matching `execute` until it is released. */
  holdBack(matches: Matches): HeldBack;
  /** Replaces each `execute` by a function that may call the original one. The last function set applies. */
  around(interfere: Interfere | null): void;
  /** From now on no signal arrives. */
  dropSignals(): void;
  /** Makes calls of these methods fail as if the database were unavailable. */
  breakDown(methods: readonly Method[]): Breakdown;
  /** Calls of these methods are answered only after the returned function is called. */
  hang(methods: readonly Method[]): () => void;
  /** Removes all interference, even after a failed test. */
  mend(): void;
}

export type Matches = (request: StoreRequest) => boolean;
export type Interfere = (request: StoreRequest, execute: () => Promise<Answer>) => Promise<Answer>;
export type Method = Exclude<keyof Store, "watch" | "close">;

export interface Breakdown {
  /** Resolves when this number of calls has failed. */
  failed(count: number): Promise<void>;
  readonly repair: () => void;
}

export interface HeldBack {
  /** Resolves when a matching call has arrived. */
  readonly arrived: Promise<void>;
  readonly release: () => void;
}

export function tamper(store: Store): TamperedStore {
  const holds: { matches: Matches; arrive: () => void; released: Promise<void> }[] = [];
  const broken = new Map<Method, { fail(): void }>();
  const hung = new Map<Method, Promise<void>>();
  const releases: (() => void)[] = [];
  let interfere: Interfere | null = null;
  let dropping = false;

  const guarded = async <T>(method: Method, call: () => Promise<T>): Promise<T> => {
    await hung.get(method);
    const breakdown = broken.get(method);
    if (breakdown === undefined) return call();
    breakdown.fail();
    throw away();
  };
  const execute = async (request: StoreRequest): Promise<Answer> => {
    const place = holds.findIndex(({ matches }) => matches(request));
    const [held] = place === -1 ? [] : holds.splice(place, 1);
    if (held !== undefined) {
      held.arrive();
      await held.released;
    }
    const real = (): Promise<Answer> => guarded("execute", () => store.execute(request));
    return interfere === null ? real() : interfere(request, real);
  };
  return {
    ...store,
    lane: (id) => guarded("lane", () => store.lane(id)),
    prompt: (id, promptId) => guarded("prompt", () => store.prompt(id, promptId)),
    prompts: (id, page) => guarded("prompts", () => store.prompts(id, page)),
    ask: (id, askId) => guarded("ask", () => store.ask(id, askId)),
    events: (id, page) => guarded("events", () => store.events(id, page)),
    feed: (page) => guarded("feed", () => store.feed(page)),
    body: (hash) => guarded("body", () => store.body(hash)),
    sessions: (page) => guarded("sessions", () => store.sessions(page)),
    now: () => guarded("now", () => store.now()),
    execute,
    join: (lease) => guarded("join", () => store.join(lease)),
    renew: (nodeId) => guarded("renew", () => store.renew(nodeId)),
    leave: (nodeId) => guarded("leave", () => store.leave(nodeId)),
    pending: (query) => guarded("pending", () => store.pending(query)),
    close: () => store.close(),
    watch: (listener) =>
      store.watch((signal: Signal) => {
        if (!dropping) listener(signal);
      }),
    holdBack(matches) {
      const arrived = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      holds.push({ matches, arrive: arrived.resolve, released: released.promise });
      releases.push(released.resolve);
      return { arrived: arrived.promise, release: released.resolve };
    },
    around(given) {
      interfere = given;
    },
    dropSignals() {
      dropping = true;
    },
    breakDown(methods) {
      let failures = 0;
      const waiting: { count: number; resolve: () => void }[] = [];
      const breakdown = {
        fail() {
          failures += 1;
          for (const { count, resolve } of waiting) if (failures >= count) resolve();
        },
      };
      for (const method of methods) broken.set(method, breakdown);
      return {
        failed: (count) =>
          new Promise((resolve) => {
            waiting.push({ count, resolve });
            if (failures >= count) resolve();
          }),
        repair: () => {
          for (const method of methods) broken.delete(method);
        },
      };
    },
    hang(methods) {
      const { promise, resolve } = Promise.withResolvers<void>();
      for (const method of methods) hung.set(method, promise);
      releases.push(resolve);
      return () => {
        for (const method of methods) if (hung.get(method) === promise) hung.delete(method);
        resolve();
      };
    },
    mend() {
      holds.length = 0;
      broken.clear();
      hung.clear();
      interfere = null;
      for (const release of releases) release();
    },
  };
}

/** The error of a store that does not know whether a request was executed. */
export function away(): StoreError {
  return new StoreError("storeUnavailable", "the database went away");
}
