import { ApiError } from "../errors.ts";
import type { Links } from "../ports.ts";
import { addToken, readGood, readToken, revokeToken } from "./token-record.ts";
import type { Records } from "./token-record.ts";
import { hashSecret, newBrowserKey } from "./token.ts";
import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { cookieHeader } from "./headers.ts";

/**
 * Creates one-time links that sign in a browser. A browser session has two secrets, and both are required: the cookie,
 * which scripts cannot read, and the key, which only pages of this server's origin can read.
 */
export function createLinks(options: {
  records: Records;
  /** URL of this server for browsers, used in links. */
  publicUrl: string;
  cookie: string;
  now: () => number;
  /** Called with the token id of each browser session that has signed out. */
  onSignedOut: (tokenId: string) => void;
}): Links {
  const { records, publicUrl, cookie, now, onSignedOut } = options;
  const isSecure = publicUrl.startsWith("https:");
  const codes = createCodes({ records, validFor: linkLife, now });
  return {
    create: async ({ tokenId }) => {
      const { code, expiresAt } = await codes.create(tokenId ?? "");
      // Browsers do not send the part after #, so no server or proxy log contains the code.
      return { url: `${publicUrl}/open#${code}`, expiresAt };
    },
    open: async (code) => {
      const tokenId = await codes.redeem(code);
      const found = tokenId === null ? null : await readGood(records, { tokenId, now: now() });
      if (found === null) {
        const advice = "Get a new one with: holdfast link";
        throw new ApiError("badLink", `This link was already used or has expired. ${advice}`);
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
      const maxAge = Math.ceil((expiresAt - now()) / 1000);
      return { cookie: cookieHeader({ name: cookie, value: secret, maxAge, isSecure }), key };
    },
    signOut: async ({ tokenId }) => {
      const token = tokenId === null ? null : await readToken(records, tokenId);
      if (token?.kind !== "browser") {
        throw new ApiError("invalid", "only a browser can sign out; revoke the token instead");
      }
      await revokeToken(records, { tokenId: token.tokenId, at: now() });
      onSignedOut(token.tokenId);
      return cookieHeader({ name: cookie, value: "", maxAge: 0, isSecure });
    },
  };
}

/** Lifetime of a one-time sign-in link, in milliseconds. */
const linkLife = 5 * 60_000;
/** Milliseconds for which a browser stays signed in. */
const sessionLife = 30 * 24 * 60 * 60_000;

/** One-time codes with a short lifetime. The store keeps the hash of a code and the value that it stands for, so every node accepts the code. */
interface Codes {
  create(value: string): Promise<{ readonly code: string; readonly expiresAt: number }>;
  /** Returns the value for which the code was created, if the code is unused and has not expired; otherwise null. */
  redeem(code: string): Promise<string | null>;
}

export function createCodes(options: {
  records: Records;
  validFor: number;
  now: () => number;
}): Codes {
  const { records, validFor, now } = options;
  /** Removes expired codes. If there are too many codes, removes all. */
  const sweep = async (): Promise<void> => {
    const open = await records.records(kind, { after: null, limit: maxOpen });
    for (const { id, value } of open) {
      const { success, data } = codeRecord.safeParse(value);
      const isOver = !success || data.expiresAt <= now() || open.length >= maxOpen;
      if (isOver) await records.removeRecord({ kind, id });
    }
  };
  return {
    create: async (value) => {
      await sweep();
      const code = randomBytes(24).toString("base64url");
      const expiresAt = now() + validFor;
      const record = { kind, id: idOf(code), value: { value, expiresAt }, version: null };
      await records.putRecord(record);
      return { code, expiresAt };
    },
    redeem: async (code) => {
      const id = idOf(code);
      const found = await records.record(kind, id);
      // Only one caller can remove the record, so a code can be redeemed only once.
      if (found === null || !(await records.removeRecord({ kind, id }))) return null;
      const { success, data } = codeRecord.safeParse(found.value);
      return success && data.expiresAt > now() ? data.value : null;
    },
  };
}

const kind = "link";
const maxOpen = 100;
const codeRecord = z.object({ value: z.string(), expiresAt: z.number() });

function idOf(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}
