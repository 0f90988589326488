import { randomBytes } from "node:crypto";

/** Codes that open something once, for a short time. They live in memory: a restart ends them. */
export interface Codes<Value> {
  create(value: Value): { readonly code: string; readonly expiresAt: number };
  /** What the code stands for, the first time and in time; null else. */
  redeem(code: string): Value | null;
}

export function createCodes<Value>(options: { validFor: number; now: () => number }): Codes<Value> {
  const { validFor, now } = options;
  const open = new Map<string, { value: Value; expiresAt: number }>();
  const sweep = (): void => {
    for (const [code, { expiresAt }] of open) {
      if (expiresAt <= now() || open.size >= maxOpen) open.delete(code);
    }
  };
  return {
    create: (value) => {
      sweep();
      const code = randomBytes(24).toString("base64url");
      const expiresAt = now() + validFor;
      open.set(code, { value, expiresAt });
      return { code, expiresAt };
    },
    redeem: (code) => {
      const found = open.get(code);
      open.delete(code);
      return found !== undefined && found.expiresAt > now() ? found.value : null;
    },
  };
}

const maxOpen = 100;
