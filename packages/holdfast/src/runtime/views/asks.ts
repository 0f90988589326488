import type { AnswerToAskBody, AskBody } from "../../agent/message.ts";
import type { AskRow } from "../../kernel/ledger.ts";
import type { AskKey, StoreReader } from "../../store/store.ts";
import { budgetQuestion } from "./budget-question.ts";
import { readAnswer, readBody } from "../../log/bodies.ts";

export interface AskViews {
  ask(target: { sessionId: string; askId: string }): Promise<AskView | null>;
  /** A session's asks in the order in which they were opened; `after` is an askId. */
  asks(query: {
    sessionId: string;
    open?: boolean;
    after: string | null;
    limit: number;
  }): Promise<readonly AskView[]>;
  /** The open asks of all sessions, the oldest first. */
  openAsks(query: { after: AskKey | null; limit: number }): Promise<readonly AskView[]>;
}

export interface AskView extends AskRow {
  readonly question: string;
  /** What the agent said of it: a permission, choices. */
  readonly extra: unknown;
  /** What was answered, if it was. */
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
