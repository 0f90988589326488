import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** A token or the cookie of a browser session. The prefix of its secret tells which. */
export type TokenKind = "token" | "browser";

/** A new secret. The store keeps only the hash, so a copy of the store opens nothing. */
export interface NewSecret {
  readonly tokenId: string;
  readonly secret: string;
  readonly hash: string;
}

const secretPattern = /^(?<prefix>hfc?)_(?<tokenId>[0-9a-f]{12})_[A-Za-z0-9_-]{43}$/;
const prefixes = { token: "hf", browser: "hfc" } as const;

/** 256 random bits after an id that logs and lists may show. */
export function newSecret(kind: TokenKind = "token"): NewSecret {
  const tokenId = randomBytes(6).toString("hex");
  const secret = `${prefixes[kind]}_${tokenId}_${randomBytes(32).toString("base64url")}`;
  return { tokenId, secret, hash: hashSecret(secret) };
}

/** The second half of a browser session: known only to pages of the server's own origin. */
export function newBrowserKey(): string {
  return `hfk_${randomBytes(32).toString("base64url")}`;
}

/** The id in a secret; null unless the secret has the form of its kind. */
export function tokenIdOf(secret: string, kind: TokenKind = "token"): string | null {
  const groups = secretPattern.exec(secret)?.groups;
  return groups?.["prefix"] === prefixes[kind] ? (groups["tokenId"] ?? null) : null;
}

export function hashSecret(secret: string): string {
  return hash("sha256", secret);
}

/** Takes as long for a near miss as for a wild guess. */
export function isSecretOf(secret: string, hashed: string): boolean {
  const presented = Buffer.from(hashSecret(secret));
  const stored = Buffer.from(hashed);
  return presented.length === stored.length && timingSafeEqual(presented, stored);
}
