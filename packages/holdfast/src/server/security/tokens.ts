import type { Token } from "../../contract/token.ts";
import { ApiError } from "../errors.ts";
import type { Tokens } from "../ports.ts";
import { realFolder } from "./directories.ts";
import { addToken, listTokens, revokeToken } from "./token-record.ts";
import type { Records, TokenRecord } from "./token-record.ts";

/** Makes, lists and revokes tokens. Only who may do everything gets to it. */
export function createTokens(options: {
  records: Records;
  now: () => number;
  /** Told of each that was revoked. */
  onRevoked: (tokenId: string) => void;
}): Tokens {
  const { records, now, onRevoked } = options;
  return {
    list: async () => (await listTokens(records)).map(shown),
    create: async ({ name, role, directories }, by) => {
      // It could make itself a token without the limit.
      if (role === "admin" && directories !== null) {
        throw new ApiError("invalid", "an admin token can't be limited to directories", {
          details: { field: "directories" },
        });
      }
      const { token, secret } = await addToken(records, {
        name,
        role,
        directories: directories === null ? null : await realFolders(directories),
        createdAt: now(),
        createdBy: by.name,
        expiresAt: null,
        kind: "token",
      });
      return { token: shown(token), secret };
    },
    revoke: async (tokenId) => {
      const revoked = await revokeToken(records, { tokenId, at: now() });
      if (revoked !== null) onRevoked(tokenId);
      return revoked === null ? null : shown(revoked);
    },
  };
}

function shown(record: TokenRecord): Token {
  const { tokenId, name, role, directories, createdAt, expiresAt, revokedAt } = record;
  return { tokenId, name, role, directories, createdAt, expiresAt, revokedAt };
}

/** A limit is kept by real paths: those of sessions are. */
function realFolders(directories: readonly string[]): Promise<string[]> {
  return Promise.all(
    directories.map(async (directory) => {
      const real = await realFolder(directory);
      if (real !== null) return real;
      throw new ApiError("invalid", `${JSON.stringify(directory)} is no folder on the server`, {
        details: { field: "directories" },
      });
    }),
  );
}
