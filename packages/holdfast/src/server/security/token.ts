import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** A token, or the cookie of a browser session. The prefix of the secret shows the kind. */
export type TokenKind = "token" | "browser";

/** A new secret. The store keeps only its hash, so a copy of the store grants no access. */
export interface NewSecret {
  readonly tokenId: string;
  readonly secret: string;
  readonly hash: string;
}

const secretPattern = /^(?<prefix>hfc?)_(?<tokenId>[0-9a-f]{12})_[A-Za-z0-9_-]{43}$/;
const prefixes = { token: "hf", browser: "hfc" } as const;

/** Creates a secret: an id, which logs and lists may show, followed by 256 random bits. */
export function newSecret(kind: TokenKind = "token"): NewSecret {
  const tokenId = randomBytes(6).toString("hex");
  const secret = `${prefixes[kind]}_${tokenId}_${randomBytes(32).toString("base64url")}`;
  return { tokenId, secret, hash: hashSecret(secret) };
}

/** Creates the second secret of a browser session, the key, which only pages of the server's own origin know. */
export function newBrowserKey(): string {
  return `hfk_${randomBytes(32).toString("base64url")}`;
}

/** Returns the token id in a secret; null if the secret does not have the form of this kind. */
export function tokenIdOf(secret: string, kind: TokenKind = "token"): string | null {
  const groups = secretPattern.exec(secret)?.groups;
  return groups?.["prefix"] === prefixes[kind] ? (groups["tokenId"] ?? null) : null;
}

export function hashSecret(secret: string): string {
  return hash("sha256", secret);
}

/** True if the secret has this hash. Compares in constant time. */
export function isSecretOf(secret: string, hashed: string): boolean {
  const presented = Buffer.from(hashSecret(secret));
  const stored = Buffer.from(hashed);
  return presented.length === stored.length && timingSafeEqual(presented, stored);
}
