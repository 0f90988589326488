import { z } from "zod";
import type { Wire } from "../../contract/component.ts";
import { roleSchema } from "../../contract/token.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { updateRecord } from "../../store/update-record.ts";
import { allRecords } from "../all-records.ts";
import { newSecret } from "./token.ts";

const tokenRecord = z.object({
  tokenId: z.string(),
  name: z.string(),
  role: roleSchema,
  /** Real paths of the directories that the token is limited to, including subdirectories; null: no limit. */
  directories: z.array(z.string()).nullable(),
  hash: z.string(),
  createdAt: z.number(),
  /** Name of the token that created this one; null for the first token. */
  createdBy: z.string().nullable(),
  expiresAt: z.number().nullable(),
  revokedAt: z.number().nullable(),
  /** `browser`: a browser session, which needs a cookie and a key. */
  kind: z.enum(["token", "browser"]),
  /** Hash of the key of a browser session; null for a token. */
  keyHash: z.string().nullable().default(null),
  /** The token or browser session from which this browser session was created. If the parent ends, so does this one. */
  parentId: z.string().nullable().default(null),
});

/** Stored form of a token. Revoked tokens are kept, so that they cannot be added again. */
export type TokenRecord = Wire<typeof tokenRecord>;

/** The part of the store that holds tokens. */
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

/** Creates a token and returns its secret, which cannot be read later. */
export async function addToken(
  records: Records,
  input: TokenInput,
): Promise<{ token: TokenRecord; secret: string }> {
  const { tokenId, secret, hash } = newSecret(input.kind);
  const token = { ...input, tokenId, hash, revokedAt: null };
  await storeToken(records, token);
  return { token, secret };
}

/** Stores a token under its id. Throws if the id is already used. */
export async function storeToken(records: Records, token: TokenRecord): Promise<void> {
  const written = await records.putRecord({ kind, id: token.tokenId, value: token, version: null });
  if (written.status === "conflict") throw new Error(`token ${token.tokenId} already exists`);
}

/** Revokes a token. Returns null if there is no such token. A token that is already revoked is not changed. */
export async function revokeToken(
  records: Records,
  target: { tokenId: string; at: number },
): Promise<TokenRecord | null> {
  const { tokenId, at } = target;
  let token: TokenRecord | null = null;
  const revoked = await updateRecord(records, { kind, id: tokenId }, (found) => {
    token = found === null ? null : parseToken(found.value);
    return token === null || token.revokedAt !== null ? null : { ...token, revokedAt: at };
  });
  return revoked ?? token;
}

/**
 * Reads a valid token with its lineage: its own id and the ids of the tokens from which it was created. Null if any of
 * them is unknown, revoked or expired.
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

/** Parses a record; null if it is not a valid token. */
function parseToken(value: unknown): TokenRecord | null {
  const { data } = tokenRecord.safeParse(value);
  return data ?? null;
}
