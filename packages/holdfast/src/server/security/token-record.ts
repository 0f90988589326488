import { z } from "zod";
import type { Wire } from "../../contract/component.ts";
import { roleSchema } from "../../contract/token.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { allRecords } from "../all-records.ts";
import { newSecret } from "./token.ts";

const tokenRecord = z.object({
  tokenId: z.string(),
  name: z.string(),
  role: roleSchema,
  /** Real paths that it is limited to, with all that is in them; null for everywhere. */
  directories: z.array(z.string()).nullable(),
  hash: z.string(),
  createdAt: z.number(),
  /** The name of the token that made it; null for the first one. */
  createdBy: z.string().nullable(),
  expiresAt: z.number().nullable(),
  revokedAt: z.number().nullable(),
  /** A browser session is presented by a cookie together with a key. */
  kind: z.enum(["token", "browser"]),
  /** Hash of the key of a browser session; null for a token. */
  keyHash: z.string().nullable().default(null),
  /** The token or browser session that a browser session was made from: it ends with that one. */
  parentId: z.string().nullable().default(null),
});

/** What the store knows of a token. Revoked ones stay, so that none comes back to life. */
export type TokenRecord = Wire<typeof tokenRecord>;

/** The part of the store that tokens are kept in. */
export type Records = Pick<Runtime["store"], "record" | "records" | "putRecord" | "removeRecord">;

const kind = "token";

export async function readToken(records: Records, tokenId: string): Promise<TokenRecord | null> {
  const found = await records.record(kind, tokenId);
  return found === null ? null : parseToken(found.value);
}

export async function listTokens(records: Records): Promise<TokenRecord[]> {
  const found: TokenRecord[] = [];
  for await (const { value } of allRecords(records, kind)) {
    const token = parseToken(value);
    if (token !== null) found.push(token);
  }
  return found;
}

export type TokenInput = Omit<TokenRecord, "tokenId" | "hash" | "revokedAt">;

/** Makes a token and answers its secret, which nobody can be told again. */
export async function addToken(
  records: Records,
  input: TokenInput,
): Promise<{ token: TokenRecord; secret: string }> {
  const { tokenId, secret, hash } = newSecret(input.kind);
  const token = { ...input, tokenId, hash, revokedAt: null };
  await storeToken(records, token);
  return { token, secret };
}

/** Puts a token into the store under its own id, which must be new there. */
export async function storeToken(records: Records, token: TokenRecord): Promise<void> {
  const written = await records.putRecord({ kind, id: token.tokenId, value: token, version: null });
  if (written.status === "conflict") throw new Error(`there is a token ${token.tokenId} already`);
}

/** Answers null when there is no such token; one that is revoked already stays as it is. */
export async function revokeToken(
  records: Records,
  target: { tokenId: string; at: number },
): Promise<TokenRecord | null> {
  const { tokenId, at } = target;
  for (;;) {
    const found = await records.record(kind, tokenId);
    const token = found === null ? null : parseToken(found.value);
    if (found === null || token === null || token.revokedAt !== null) return token;
    const value = { ...token, revokedAt: at };
    const { version } = found;
    const written = await records.putRecord({ kind, id: tokenId, value, version });
    if (written.status === "stored") return value;
  }
}

/**
 * A token that may be used now, with the ids that it depends on: its own, and those that it was made
 * from. Null if any of them is unknown, revoked or expired.
 */
export async function readGood(
  records: Records,
  target: { tokenId: string; now: number },
): Promise<{ token: TokenRecord; lineage: readonly string[] } | null> {
  const token = await readToken(records, target.tokenId);
  const lineage: string[] = [];
  for (let next = token; ; next = await readToken(records, next.parentId)) {
    if (next === null || !isGood(next, target.now) || lineage.includes(next.tokenId)) return null;
    lineage.push(next.tokenId);
    if (next.parentId === null) return token === null ? null : { token, lineage };
  }
}

export function isGood(token: TokenRecord, now: number): boolean {
  return token.revokedAt === null && (token.expiresAt === null || token.expiresAt > now);
}

/** A record that is not of our making opens nothing. */
function parseToken(value: unknown): TokenRecord | null {
  const { data } = tokenRecord.safeParse(value);
  return data ?? null;
}
