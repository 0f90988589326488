import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import type { Records } from "./token-record.ts";

/**
 * Codes that open something once, for a short time, on any node: their hashes are in the store, with
 * what they stand for.
 */
export interface Codes {
  create(value: string): Promise<{ readonly code: string; readonly expiresAt: number }>;
  /** What the code stands for, the first time and in time; null else. */
  redeem(code: string): Promise<string | null>;
}

export function createCodes(options: {
  records: Records;
  validFor: number;
  now: () => number;
}): Codes {
  const { records, validFor, now } = options;
  /** Also when there are too many: then the newest is what counts. */
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
      // Whoever takes it away has it.
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
