import type { AnswerToAskBody, AskBody } from "../../agent/message.ts";
import type { AskRow } from "../../kernel/ledger.ts";
import type { AskKey, StoreReader } from "../../store/store.ts";
import { readAnswer, readBody } from "../../log/bodies.ts";
import type { BudgetAsk } from "../../kernel/event.ts";
import type { Budget, Usage } from "../../kernel/state.ts";

export interface AskViews {
  ask(target: { sessionId: string; askId: string }): Promise<AskView | null>;
  /** Returns the whole diff or command of a permission request; null if there is no such request. */
  askPreview(target: { sessionId: string; askId: string }): Promise<string | null>;
  /** Lists a session's asks in order of opening; `after` is an askId. */
  asks(query: {
    sessionId: string;
    open?: boolean;
    after: string | null;
    limit: number;
  }): Promise<readonly AskView[]>;
  /** Lists open asks of all sessions, oldest first. */
  openAsks(query: { after: AskKey | null; limit: number }): Promise<readonly AskView[]>;
}

export interface AskView extends AskRow {
  readonly question: string;
  /** Extra data from the agent, such as a permission or choices. */
  readonly extra: unknown;
  /** The answer, if there is one. */
  readonly answer: AnswerToAskBody | null;
}

export function askViews(store: StoreReader): AskViews {
  const viewAll = (rows: readonly AskRow[]): Promise<readonly AskView[]> =>
    Promise.all(rows.map((row) => viewAsk(store, row)));
  return {
    ask: async ({ sessionId, askId }) => {
      const row = await store.ask(sessionId, askId);
      return row === null ? null : viewAsk(store, row);
    },
    askPreview: async ({ sessionId, askId }) => {
      const row = await store.ask(sessionId, askId);
      if (row === null) return null;
      const asked = await readBody<AskBody>(store, row.body);
      return asked?.preview ?? shortPreview(asked?.extra);
    },
    asks: async ({ sessionId, ...page }) => viewAll(await store.asks(sessionId, page)),
    openAsks: async (page) => viewAll(await store.openAsks(page)),
  };
}

async function viewAsk(store: StoreReader, row: AskRow): Promise<AskView> {
  const resolution = row.closed?.resolution;
  const given = resolution?.kind === "answered" ? resolution.body : null;
  const [asked, answer] = await Promise.all([
    row.budget === undefined ? readBody<AskBody>(store, row.body) : budgetQuestion(row.budget),
    readAnswer(store, given),
  ]);
  return { ...row, question: asked?.question ?? "", extra: asked?.extra ?? null, answer };
}

/** Returns the preview text of a permission request, from the request's `extra` field; empty if there is none. */
function shortPreview(extra: unknown): string {
  const permission = fieldOf(extra, "permission");
  const preview = fieldOf(permission, "preview");
  return typeof preview === "string" ? preview : "";
}

function fieldOf(value: unknown, name: string): unknown {
  const fields = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return fields.find(([key]) => key === name)?.[1];
}

/**
 * Builds the text of a request for a higher limit. Also includes the numbers, for clients that build their own text.
 */
export function budgetQuestion(budget: BudgetAsk): AskBody {
  const { spent, limit, raise } = budget;
  const used = amounts(limit, spent).join(" and ");
  const more = [
    ...(raise.cost === null ? [] : [`${money(raise.cost)} dollars`]),
    ...(raise.tokens === null ? [] : [`${raise.tokens} tokens`]),
  ].join(" and ");
  return { question: `${used} used: raise by ${more}, or stop?`, extra: { budget } };
}

function amounts(limit: Budget, spent: Usage): string[] {
  const tokens = spent.inputTokens + spent.outputTokens;
  return [
    ...(limit.cost === null ? [] : [`${money(spent.cost)} of ${money(limit.cost)} dollars`]),
    ...(limit.tokens === null ? [] : [`${tokens} of ${limit.tokens} tokens`]),
  ];
}

/** Formats an amount of dollars with two decimals; below one cent, with two significant digits. */
function money(amount: number): string {
  return amount >= 0.01 || amount === 0 ? amount.toFixed(2) : amount.toPrecision(2);
}
