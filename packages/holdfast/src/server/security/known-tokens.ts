import { setMaxListeners } from "node:events";
import { repeat } from "../../base/repeat.ts";
import { readGood } from "./token-record.ts";
import type { Records, TokenRecord } from "./token-record.ts";
import { isSecretOf, tokenIdOf } from "./token.ts";
import { storeUse } from "./token-use.ts";

/** Secrets that a request has sent. */
export type Presented =
  | { readonly kind: "token"; readonly secret: string }
  | { readonly kind: "browser"; readonly secret: string; readonly key: string };

/** A valid token, with a signal for its end. */
export interface KnownToken {
  readonly token: TokenRecord;
  /** Aborts when the token is revoked or expires, which ends its open streams. */
  readonly revoked: AbortSignal;
}

export interface KnownTokens {
  /** Finds a token by its secret. Returns null if the token is unknown, revoked or expired. */
  find(presented: Presented): Promise<KnownToken | null>;
  /**
   * Returns the id of the token, only for counting the request. Does not check the browser key, which a browser cannot
   * send when it loads a page, so the result grants no access.
   */
  recognize(presented: Presented): Promise<string | null>;
  /** Returns the time at which the token was last used in this process; null if it was not used. */
  usedAt(tokenId: string): number | null;
  /** Drops a revoked token, and every browser session created from it, from the cache, and ends their open streams. */
  end(tokenId: string): void;
  /** Saves the last-used time of each token in the store. */
  close(): Promise<void>;
}

interface Entry {
  token: TokenRecord;
  /** Ids of the token and of the tokens from which it was created. */
  lineage: readonly string[];
  readAt: number;
  usedAt: number;
  /** The value of `usedAt` that this process last wrote to the store. */
  storedUse: number;
  readonly controller: AbortController;
}

/**
 * Caches tokens, so that not every request reads the store. Each token is read again after `freshFor` milliseconds, so
 * a revocation by another node takes effect after at most this time.
 */
export function createKnownTokens(options: {
  records: Records;
  now: () => number;
  freshFor: number;
  /** True if the token has open streams. */
  isHeld: (tokenId: string) => boolean;
  onError: (error: unknown) => void;
}): KnownTokens {
  const { records, now, freshFor, isHeld, onError } = options;
  const known = new Map<string, Entry>();
  /** Ids of tokens that this process has revoked. A read in progress must not cache such a token again. */
  const ended = new Set<string>();

  const drop = (tokenId: string): void => {
    known.get(tokenId)?.controller.abort();
    known.delete(tokenId);
  };
  const read = async (tokenId: string): Promise<Entry | null> => {
    const found = await readGood(records, { tokenId, now: now() });
    if (found === null || found.lineage.some((id) => ended.has(id))) {
      drop(tokenId);
      return null;
    }
    const entry = known.get(tokenId) ?? newEntry(found, now());
    Object.assign(entry, found, { readAt: now() });
    known.set(tokenId, entry);
    return entry;
  };
  const keepUse = async (entry: Entry): Promise<void> => {
    const { usedAt: at, token } = entry;
    entry.storedUse = at;
    await storeUse(records, { tokenId: token.tokenId, at });
  };
  const refreshAll = (): void => {
    for (const [tokenId, entry] of known) {
      if (entry.usedAt - entry.storedUse >= useInterval) keepUse(entry).catch(onError);
      if (now() - entry.usedAt < keptFor || isHeld(tokenId)) read(tokenId).catch(onError);
      else known.delete(tokenId);
    }
  };
  const refreshing = repeat({ work: refreshAll, first: freshFor, every: freshFor, onError });

  const entryOf = async ({ secret, kind }: Presented): Promise<Entry | null> => {
    const tokenId = tokenIdOf(secret, kind);
    if (tokenId === null) return null;
    const kept = known.get(tokenId);
    const isFresh =
      kept !== undefined && now() - kept.readAt < freshFor && !isExpired(kept.token, now());
    const entry = isFresh ? kept : await read(tokenId);
    return entry !== null && isOwnSecret({ secret, kind }, entry.token) ? entry : null;
  };

  return {
    recognize: async (presented) => (await entryOf(presented))?.token.tokenId ?? null,
    find: async (presented) => {
      const entry = await entryOf(presented);
      if (entry === null || !opens(presented, entry.token)) return null;
      entry.usedAt = now();
      return { token: entry.token, revoked: entry.controller.signal };
    },
    usedAt: (tokenId) => known.get(tokenId)?.usedAt ?? null,
    end: (tokenId) => {
      ended.add(tokenId);
      for (const [id, { lineage }] of known) if (lineage.includes(tokenId)) drop(id);
    },
    close: async () => {
      await refreshing.stop();
      const unstored = [...known.values()].filter(({ usedAt, storedUse }) => usedAt > storedUse);
      await Promise.all(unstored.map((entry) => keepUse(entry).catch(onError)));
    },
  };
}

/** Milliseconds for which an unused token stays cached: longer than any request except a stream. */
const keptFor = 5 * 60_000;
/** Milliseconds between two writes of a token's time of last use. */
const useInterval = 60_000;

/**
 * True if the secrets are complete. A browser needs its key besides the cookie: browsers send cookies to every port of
 * a host, so a program on another port can learn the cookie. The key is in the page's local storage, which is separate
 * for each port.
 */
function opens(presented: Presented, { keyHash }: TokenRecord): boolean {
  return presented.kind === "token" || (keyHash !== null && isSecretOf(presented.key, keyHash));
}

function isOwnSecret(
  { kind, secret }: Pick<Presented, "kind" | "secret">,
  token: TokenRecord,
): boolean {
  return kind === token.kind && isSecretOf(secret, token.hash);
}

function isExpired({ expiresAt }: TokenRecord, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function newEntry(found: Pick<Entry, "token" | "lineage">, now: number): Entry {
  const controller = new AbortController();
  // Avoid Node's warning: every stream of the token adds a listener.
  setMaxListeners(0, controller.signal);
  return { ...found, readAt: now, usedAt: 0, storedUse: 0, controller };
}
