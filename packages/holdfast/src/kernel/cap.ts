import type { Account } from "./account.ts";
import { noUsage } from "./state.ts";
import type { Budget, UnsettledPrompt } from "./state.ts";

// A cap limits spending per day or month (UTC), for all users together or for one token. The limits come with
// each command, from the config of the executing process. An account records the spending.

export interface Caps {
  readonly day?: Budget;
  readonly month?: Budget;
  /** Limit per token and month. */
  readonly token?: Budget;
}

export interface Cap {
  readonly kind: keyof Caps;
  readonly accountId: string;
  readonly limit: Budget;
  readonly resetsAt: number;
}

/** Builds the id of a token's account. Prompts that the token sent, and their descendants, are charged to it. */
export function tokenAccount(name: string): string {
  return `${tokenPrefix}${name}`;
}

const tokenPrefix = "token:";

export function isToken(accountId: string): boolean {
  return accountId.startsWith(tokenPrefix);
}

/** Lists the caps that apply at this time to a run that is charged to these accounts. */
export function capsAt(caps: Caps | undefined, at: number, accounts: readonly string[]): Cap[] {
  if (caps === undefined) return [];
  const { day, month, token } = caps;
  const time = new Date(at);
  const [year, monthIndex] = [time.getUTCFullYear(), time.getUTCMonth()];
  const date = time.toISOString().slice(0, 10);
  const monthName = date.slice(0, 7);
  const tomorrow = Date.UTC(year, monthIndex, time.getUTCDate() + 1);
  const nextMonth = Date.UTC(year, monthIndex + 1, 1);
  const found: Cap[] = [];
  if (day !== undefined) {
    found.push({ kind: "day", accountId: `day:${date}`, limit: day, resetsAt: tomorrow });
  }
  if (month !== undefined) {
    const accountId = `month:${monthName}`;
    found.push({ kind: "month", accountId, limit: month, resetsAt: nextMonth });
  }
  if (token !== undefined) {
    for (const name of accounts.filter(isToken)) {
      const accountId = `${name}:${monthName}`;
      found.push({ kind: "token", accountId, limit: token, resetsAt: nextMonth });
    }
  }
  return found;
}

export function capsOfPrompt(
  caps: Caps | undefined,
  at: number,
  prompt: UnsettledPrompt | undefined,
): Cap[] {
  return capsAt(caps, at, prompt?.accounts ?? []);
}

const none: Budget = { tokens: null, cost: null };

/** Creates an account that counts the spending under the cap. The account has no limit; only the cap has one. */
export function newCapAccount({ accountId }: Cap): Account {
  const carrier = { sessionId: "", promptId: null };
  const terms = { limit: none, raise: none, onBudget: "fail" } as const;
  return { id: accountId, carrier, spent: noUsage, ...terms, ask: null, waiting: [] };
}
