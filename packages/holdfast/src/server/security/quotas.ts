import { z } from "zod";
import { repeat } from "../../base/repeat.ts";
import { ApiError } from "../errors.ts";
import type { Records } from "./token-record.ts";

/** Daily limits (UTC) of each token. Tokens with the role admin have none. */
export interface QuotaLimits {
  readonly uploadBytes: number;
  readonly sessions: number;
  readonly logBytes: number;
}

export type QuotaKind = keyof QuotaLimits;

export const defaultQuotas: QuotaLimits = {
  uploadBytes: 2_000_000_000,
  sessions: 2_000,
  logBytes: 1_000_000_000,
};

/** The quota of one token. */
export interface Quota {
  /** Counts an amount. Throws `quotaExceeded`, without counting, if the amount would exceed the limit. */
  take(kind: QuotaKind, amount: number): void;
}

export interface Quotas {
  of(tokenId: string): Promise<Quota>;
  /** Writes the usage that is counted only in memory so far to the store. */
  close(): Promise<void>;
}

type Used = Record<QuotaKind, number>;

interface Counter {
  day: string;
  /** Usage on all nodes, as the store had it when this node last read or wrote it there. */
  stored: Used;
  /** Usage that this node has counted since then. It is not in the store yet. */
  added: Used;
}

/**
 * Counts usage per token and day. Counts are added to a record in the store every few seconds, so that they survive
 * restarts and other nodes see them. A crash loses the last few seconds.
 */
export function createQuotas(options: {
  records: Records;
  /** Returns the current limits. The result is cached for a minute. */
  limits: () => Promise<QuotaLimits>;
  now: () => number;
  onError: (error: unknown) => void;
}): Quotas {
  const { records, now, onError } = options;
  const counters = new Map<string, Counter>();
  let limits = { value: defaultQuotas, readAt: -Infinity };

  const refreshLimits = async (): Promise<void> => {
    if (now() - limits.readAt < limitsFreshFor) return;
    limits = { ...limits, readAt: now() };
    try {
      limits = { value: await options.limits(), readAt: now() };
    } catch (error) {
      // Keep the previous limits if the config cannot be read.
      onError(error);
    }
  };
  const open = async (tokenId: string): Promise<Counter> => {
    const known = counters.get(tokenId);
    if (known !== undefined) return known;
    const day = dayOf(now());
    const stored = usedOn(day, (await records.record(kind, tokenId))?.value);
    const counter = counters.get(tokenId) ?? { day, stored, added: nothing() };
    counters.set(tokenId, counter);
    return counter;
  };
  const take = (counter: Counter, amounts: { kind: QuotaKind; amount: number }): void => {
    const { kind, amount } = amounts;
    const day = dayOf(now());
    if (counter.day !== day) Object.assign(counter, { day, stored: nothing(), added: nothing() });
    const limit = limits.value[kind];
    if (counter.stored[kind] + counter.added[kind] + amount > limit) throw exceeded(kind, limit);
    counter.added[kind] += amount;
  };
  const store = async (tokenId: string, counter: Counter): Promise<void> => {
    for (;;) {
      const { day, added } = counter;
      const sent = { ...added };
      if (kinds.every((each) => sent[each] === 0)) return;
      const found = await records.record(kind, tokenId);
      const used = sum(usedOn(day, found?.value), sent);
      const value = { day, ...used };
      const version = found?.version ?? null;
      const written = await records.putRecord({ kind, id: tokenId, value, version });
      if (written.status === "conflict") continue;
      // A new day has begun, so the old counts do not matter any more.
      if (counter.day !== day) return;
      counter.stored = used;
      for (const each of kinds) counter.added[each] -= sent[each];
      return;
    }
  };
  const storeAll = async (): Promise<void> => {
    await Promise.all([...counters].map(([tokenId, counter]) => store(tokenId, counter)));
  };
  const every = storeInterval;
  const storing = repeat({ work: storeAll, first: every, every, onError });

  return {
    of: async (tokenId) => {
      await refreshLimits();
      const counter = await open(tokenId);
      return { take: (each, amount) => take(counter, { kind: each, amount }) };
    },
    close: async () => {
      await storing.stop();
      await storeAll().catch(onError);
    },
  };
}

const kind = "quota";
const kinds = ["uploadBytes", "sessions", "logBytes"] as const satisfies QuotaKind[];
const limitsFreshFor = 60_000;
const storeInterval = 5_000;

const usedRecord = z.object({
  day: z.string(),
  uploadBytes: z.number(),
  sessions: z.number(),
  logBytes: z.number(),
});

function usedOn(day: string, value: unknown): Used {
  const { data } = usedRecord.safeParse(value);
  if (data?.day !== day) return nothing();
  const { uploadBytes, sessions, logBytes } = data;
  return { uploadBytes, sessions, logBytes };
}

function nothing(): Used {
  return { uploadBytes: 0, sessions: 0, logBytes: 0 };
}

function sum(left: Used, right: Used): Used {
  return {
    uploadBytes: left.uploadBytes + right.uploadBytes,
    sessions: left.sessions + right.sessions,
    logBytes: left.logBytes + right.logBytes,
  };
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

const words: Readonly<Record<QuotaKind, string>> = {
  uploadBytes: "bytes of uploads",
  sessions: "new sessions",
  logBytes: "bytes of prompts and imports",
};

/** Builds the error. It has no Retry-After header, because clients should not wait until the next day. */
function exceeded(each: QuotaKind, limit: number): ApiError {
  const what = `This token has a quota of ${limit} ${words[each]} per day (UTC), and this request exceeds it.`;
  const advice = `Wait until tomorrow, or raise quotas.${each} in the server's config.`;
  return new ApiError("quotaExceeded", `${what} ${advice}`, { details: { quota: each, limit } });
}
