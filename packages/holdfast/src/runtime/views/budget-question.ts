import type { AskBody } from "../../agent/message.ts";
import type { BudgetAsk } from "../../kernel/event.ts";
import type { Budget, Usage } from "../../kernel/state.ts";

/** The words of an ask for a higher limit, and its numbers for clients that word it themselves. */
export function budgetQuestion(budget: BudgetAsk): AskBody {
  const { spent, limit, raise } = budget;
  const used = parts(limit, spent).join(" and ");
  const more = [
    ...(raise.cost === null ? [] : [`${money(raise.cost)} dollars`]),
    ...(raise.tokens === null ? [] : [`${raise.tokens} tokens`]),
  ].join(" and ");
  return { question: `${used} used: raise by ${more}, or stop?`, extra: { budget } };
}

function parts(limit: Budget, spent: Usage): string[] {
  const tokens = spent.inputTokens + spent.outputTokens;
  return [
    ...(limit.cost === null ? [] : [`${money(spent.cost)} of ${money(limit.cost)} dollars`]),
    ...(limit.tokens === null ? [] : [`${tokens} of ${limit.tokens} tokens`]),
  ];
}

/** Cents, or as many digits as a small amount needs. */
function money(amount: number): string {
  return amount >= 0.01 || amount === 0 ? amount.toFixed(2) : amount.toPrecision(2);
}
