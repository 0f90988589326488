import { join } from "node:path";
import { writePrivateFile } from "../../base/private-file.ts";
import { keepPrivateFolder, readTokenFile } from "./token-file.ts";
import { isGood, readToken, storeToken } from "./token-record.ts";
import type { Records, TokenInput } from "./token-record.ts";
import { hashSecret, isSecretOf, newSecret, tokenIdOf } from "./token.ts";

export function ownerTokenFile(dataFolder: string): string {
  return join(dataFolder, "token");
}

/**
 * Makes sure that the owner's programs can sign in with the admin token in the owner's token file. If the store does
 * not know this token, adds it to the store. If the token is missing or revoked, creates a new token and writes it to
 * the file.
 */
export async function keepOwnerToken(
  records: Records,
  options: { dataFolder: string; now: () => number },
): Promise<string> {
  const { dataFolder, now } = options;
  keepPrivateFolder(dataFolder);
  const file = ownerTokenFile(dataFolder);
  const owner: TokenInput = {
    name: "owner",
    role: "admin",
    directories: null,
    createdAt: now(),
    createdBy: null,
    expiresAt: null,
    kind: "token",
    keyHash: null,
    parentId: null,
  };
  const kept = readTokenFile(file);
  const tokenId = kept === null ? null : tokenIdOf(kept);
  if (kept !== null && tokenId !== null) {
    const known = await readToken(records, tokenId);
    if (known === null) {
      await storeToken(records, { ...owner, tokenId, hash: hashSecret(kept), revokedAt: null });
      return kept;
    }
    if (isGood(known, now()) && isSecretOf(kept, known.hash)) return kept;
  }
  // Write the file first: the next start adds a token from the file to the store, but a token that is only in the store
  // could not be used.
  const { secret, ...made } = newSecret();
  await writePrivateFile(file, `${secret}\n`);
  await storeToken(records, { ...owner, ...made, revokedAt: null });
  return secret;
}
