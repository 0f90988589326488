import { setMaxListeners } from "node:events";
import { isGood, readToken } from "./token-record.ts";
import type { Records, TokenRecord } from "./token-record.ts";
import { isSecretOf, tokenIdOf } from "./token.ts";

/** A good token, and when it stops to be one. */
export interface KnownToken {
  readonly token: TokenRecord;
  /** Aborts as soon as it is revoked or expires: whatever it has open ends then. */
  readonly revoked: AbortSignal;
}

export interface KnownTokens {
  /** Null for a secret that opens nothing (any more). */
  find(secret: string): Promise<KnownToken | null>;
  /** To be called with each token that was revoked here: it ends at once. */
  end(tokenId: string): void;
  close(): void;
}

interface Entry {
  token: TokenRecord;
  readAt: number;
  usedAt: number;
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
    const token = await readToken(records, tokenId);
    if (token === null || ended.has(tokenId) || !isGood(token, now())) {
      drop(tokenId);
      return null;
    }
    const entry = known.get(tokenId) ?? newEntry(token, now());
    entry.token = token;
    entry.readAt = now();
    known.set(tokenId, entry);
    return entry;
  };
  const lookAgain = (): void => {
    for (const [tokenId, { usedAt }] of known) {
      if (now() - usedAt < keptFor || isHeld(tokenId)) read(tokenId).catch(onError);
      else known.delete(tokenId);
    }
  };
  const timer = setInterval(lookAgain, freshFor).unref();

  return {
    find: async (secret) => {
      const tokenId = tokenIdOf(secret);
      if (tokenId === null) return null;
      const kept = known.get(tokenId);
      const isFresh =
        kept !== undefined && now() - kept.readAt < freshFor && isGood(kept.token, now());
      const entry = isFresh ? kept : await read(tokenId);
      if (entry === null || !isSecretOf(secret, entry.token.hash)) return null;
      entry.usedAt = now();
      return { token: entry.token, revoked: entry.controller.signal };
    },
    end: (tokenId) => {
      ended.add(tokenId);
      drop(tokenId);
    },
    close: () => clearInterval(timer),
  };
}

/** How long a token is remembered that nobody shows: longer than any answer but a stream's takes. */
const keptFor = 5 * 60_000;

function newEntry(token: TokenRecord, now: number): Entry {
  const controller = new AbortController();
  // Every stream of the token listens.
  setMaxListeners(0, controller.signal);
  return { token, readAt: now, usedAt: now, controller };
}
