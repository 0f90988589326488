import type { Token } from "../../contract/token.ts";
import { ApiError } from "../errors.ts";
import type { Tokens } from "../ports.ts";
import { realFolder } from "./directories.ts";
import { addToken, listTokens, revokeToken } from "./token-record.ts";
import type { Records, TokenRecord } from "./token-record.ts";
import { storedUses } from "./token-use.ts";

/** Returns functions that create, list and revoke tokens. Only admins may call them. */
export function createTokens(options: {
  records: Records;
  now: () => number;
  /** Time at which the token was last used in this process; null if it was not used. */
  usedAt: (tokenId: string) => number | null;
  /** Called with the id of each revoked token. */
  onRevoked: (tokenId: string) => void;
}): Tokens {
  const { records, now, usedAt, onRevoked } = options;
  const shownWith = (
    record: TokenRecord,
    known: { tokens: readonly TokenRecord[]; uses: ReadonlyMap<string, number> },
  ): Token => {
    const { tokenId, name, role, directories, createdAt, createdBy, expiresAt, kind, parentId } =
      record;
    const lastUsedAt = Math.max(usedAt(tokenId) ?? 0, known.uses.get(tokenId) ?? 0) || null;
    const revokedAt = revocationOf(record, known.tokens);
    const made = { createdAt, createdBy, parentId, expiresAt, revokedAt, lastUsedAt };
    return { tokenId, kind, name, role, directories, ...made };
  };
  const readAll = async () => ({
    tokens: await listTokens(records),
    uses: await storedUses(records),
  });
  return {
    list: async () => {
      const known = await readAll();
      return known.tokens.map((record) => shownWith(record, known));
    },
    create: async ({ name, role, directories, expiresAt = null }, by) => {
      // A directory limit would have no effect: an admin could create a token without one.
      if (role === "admin" && directories !== null) {
        throw new ApiError(
          "invalid",
          "an admin token cannot be limited to directories; choose another role",
          {
            details: { field: "directories" },
          },
        );
      }
      if (expiresAt !== null && expiresAt <= now()) {
        throw new ApiError("invalid", "expiresAt must be in the future", {
          details: { field: "expiresAt" },
        });
      }
      const { token, secret } = await addToken(records, {
        name,
        role,
        directories: directories === null ? null : await realFolders(directories),
        createdAt: now(),
        createdBy: by.name,
        expiresAt,
        kind: "token",
        keyHash: null,
        parentId: null,
      });
      return { token: shownWith(token, { tokens: [token], uses: new Map() }), secret };
    },
    revoke: async (tokenId) => {
      const revoked = await revokeToken(records, { tokenId, at: now() });
      if (revoked !== null) onRevoked(tokenId);
      return revoked === null ? null : shownWith(revoked, await readAll());
    },
  };
}

/**
 * Returns the time at which the token was revoked; null: it was not. A token that was created with another token, such
 * as a browser session, is revoked together with that other token.
 */
function revocationOf(record: TokenRecord, tokens: readonly TokenRecord[]): number | null {
  const seen = new Set<TokenRecord>();
  for (let next: TokenRecord | undefined = record; next !== undefined && !seen.has(next);) {
    if (next.revokedAt !== null) return next.revokedAt;
    seen.add(next);
    const { parentId }: TokenRecord = next;
    next = tokens.find(({ tokenId }) => tokenId === parentId);
  }
  return null;
}

/** Resolves directories to real paths, because the directories of sessions are stored as real paths. */
function realFolders(directories: readonly string[]): Promise<string[]> {
  return Promise.all(
    directories.map(async (directory) => {
      const real = await realFolder(directory);
      if (real !== null) return real;
      throw new ApiError(
        "invalid",
        `${JSON.stringify(directory)} is not a folder on the server; name an absolute path`,
        {
          details: { field: "directories" },
        },
      );
    }),
  );
}
