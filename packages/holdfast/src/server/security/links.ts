import { ApiError } from "../errors.ts";
import type { Links } from "../ports.ts";
import { createCodes } from "./codes.ts";
import { cookieHeader } from "./cookie.ts";
import { addToken, readGood } from "./token-record.ts";
import type { Records } from "./token-record.ts";
import { hashSecret, newBrowserKey } from "./token.ts";

/**
 * Links that sign a browser in, once. A browser session has two secrets: the cookie, which scripts
 * cannot read, and the key, which only pages of this server's origin have. Neither works alone.
 */
export function createLinks(options: {
  records: Records;
  /** Where browsers find this server: links lead there. */
  publicUrl: string;
  cookie: string;
  now: () => number;
}): Links {
  const { records, publicUrl, cookie, now } = options;
  const codes = createCodes({ records, validFor: linkLife, now });
  return {
    create: async ({ tokenId }) => {
      const { code, expiresAt } = await codes.create(tokenId ?? "");
      // Browsers do not send the part after #: neither this server's log nor a proxy's gets the code.
      return { url: `${publicUrl}/open#${code}`, expiresAt };
    },
    open: async (code) => {
      const tokenId = await codes.redeem(code);
      const found = tokenId === null ? null : await readGood(records, { tokenId, now: now() });
      if (found === null) {
        const advice = "Get a new one: holdfast link";
        throw new ApiError("badLink", `This link was used already, or is too old. ${advice}`);
      }
      const { token: parent } = found;
      const key = newBrowserKey();
      const expiresAt = Math.min(now() + sessionLife, parent.expiresAt ?? Infinity);
      const { secret } = await addToken(records, {
        name: parent.kind === "browser" ? parent.name : `${parent.name}/web`,
        role: parent.role,
        directories: parent.directories,
        createdAt: now(),
        createdBy: parent.name,
        expiresAt,
        kind: "browser",
        keyHash: hashSecret(key),
        parentId: parent.tokenId,
      });
      const isSecure = publicUrl.startsWith("https:");
      const maxAge = Math.ceil((expiresAt - now()) / 1000);
      return { cookie: cookieHeader({ name: cookie, value: secret, maxAge, isSecure }), key };
    },
  };
}

/** How long a link can be opened. */
const linkLife = 5 * 60_000;
/** How long a browser stays signed in. */
const sessionLife = 30 * 24 * 60 * 60_000;
