import { setMaxListeners } from "node:events";
import { readGood } from "./token-record.ts";
import type { Records, TokenRecord } from "./token-record.ts";
import { isSecretOf, tokenIdOf } from "./token.ts";
import { storeUse } from "./token-use.ts";

/** Secrets as a request presents them. */
export type Presented =
  | { readonly kind: "token"; readonly secret: string }
  | { readonly kind: "browser"; readonly secret: string; readonly key: string };

/** A good token, and when it stops to be one. */
export interface KnownToken {
  readonly token: TokenRecord;
  /** Aborts as soon as it is revoked or expires: whatever it has open ends then. */
  readonly revoked: AbortSignal;
}

export interface KnownTokens {
  /** Null for secrets that open nothing (any more). */
  find(presented: Presented): Promise<KnownToken | null>;
  /**
   * The id to count a request for; a browser needs no key for that, because it cannot send one when it
   * loads a page. It opens nothing.
   */
  recognize(presented: Presented): Promise<string | null>;
  /** When this process last saw the token; null if it has not. */
  usedAt(tokenId: string): number | null;
  /** Ends a token that was revoked here, and every browser session made from it, at once. */
  end(tokenId: string): void;
  /** Stores the last uses. */
  close(): Promise<void>;
}

interface Entry {
  token: TokenRecord;
  /** Ids of the token and of those that it was made from. */
  lineage: readonly string[];
  readAt: number;
  usedAt: number;
  /** The last use that the store has from this process. */
  storedUse: number;
  readonly controller: AbortController;
}

/**
 * Keeps tokens that were shown, so that not every request reads the store. Each is read again after
 * `freshFor`: so long can it take until a process learns what another one on the same store revoked.
 */
export function createKnownTokens(options: {
  records: Records;
  now: () => number;
  freshFor: number;
  /** Whether something is open that has to end with the token. */
  isHeld: (tokenId: string) => boolean;
  onError: (error: unknown) => void;
}): KnownTokens {
  const { records, now, freshFor, isHeld, onError } = options;
  const known = new Map<string, Entry>();
  /** Revoked by this process: a read that was on its way must not bring one back. */
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
  const lookAgain = (): void => {
    for (const [tokenId, entry] of known) {
      if (entry.usedAt - entry.storedUse >= useInterval) keepUse(entry).catch(onError);
      if (now() - entry.usedAt < keptFor || isHeld(tokenId)) read(tokenId).catch(onError);
      else known.delete(tokenId);
    }
  };
  const timer = setInterval(lookAgain, freshFor).unref();

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
      clearInterval(timer);
      const unstored = [...known.values()].filter(({ usedAt, storedUse }) => usedAt > storedUse);
      await Promise.all(unstored.map((entry) => keepUse(entry).catch(onError)));
    },
  };
}

/** How long a token is remembered that nobody shows: longer than any answer but a stream's takes. */
const keptFor = 5 * 60_000;
/** The store's record of the last use is at most this old while the token is in use. */
const useInterval = 60_000;

/**
 * Browsers send a host's cookies to every port of the host, so whoever listens on another port knows
 * the cookie. The key is kept by the page in storage of its origin, which includes the port.
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
  // Every stream of the token listens.
  setMaxListeners(0, controller.signal);
  return { ...found, readAt: now, usedAt: 0, storedUse: 0, controller };
}
