import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** A token as its holder knows it. The store has only the hash, so that a copy of it opens nothing. */
export interface NewSecret {
  readonly tokenId: string;
  readonly secret: string;
  readonly hash: string;
}

const secretPattern = /^hf_(?<tokenId>[0-9a-f]{12})_[A-Za-z0-9_-]{43}$/;

/** 256 random bits behind an id that may be shown: logs and lists name a token by it. */
export function newSecret(): NewSecret {
  const tokenId = randomBytes(6).toString("hex");
  const secret = `hf_${tokenId}_${randomBytes(32).toString("base64url")}`;
  return { tokenId, secret, hash: hashSecret(secret) };
}

/** The id that a secret names; null for what can't be one. */
export function tokenIdOf(secret: string): string | null {
  return secretPattern.exec(secret)?.groups?.["tokenId"] ?? null;
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
