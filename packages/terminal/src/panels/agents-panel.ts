import { callTitle } from "@holdfast/model/call-title.ts";
import type { Conversation } from "@holdfast/model/conversation.ts";
import type { Client } from "../client.ts";
import type { Look } from "../screen/look.ts";
import { justify, oneLine } from "../screen/text.ts";
import type { FamilyMember } from "../session/family.ts";
import type { OpenAsk } from "../session/session-view.ts";

const shownRows = 5;

/** Returns the rows of the active sub-agents as a tree, each with its state. */
export function agentRows(
  members: readonly FamilyMember[],
  options: { look: Look; columns: number; conversation: Conversation | null },
): string[] {
  const { look, columns, conversation } = options;
  if (members.length === 0) return [];
  const titles = taskTitles(conversation);
  const rows = members.slice(0, shownRows).map(({ detail, depth }) => {
    const title = oneLine(titles.get(detail.sessionId) ?? detail.title ?? detail.sessionId);
    const state = stateOf(detail);
    const paint = detail.status === "asking" ? look.warn : look.dim;
    return justify(`  ${"  ".repeat(depth)}└ ${title}`, paint(state), columns);
  });
  const hidden = members.length - rows.length;
  return [
    look.bold(`Agents ${members.length}`),
    ...rows,
    ...(hidden > 0 ? [look.dim(`  … ${hidden} more`)] : []),
  ];
}

/** Returns the title of the sub-agent that asks. Null if the session itself asks. */
export function askerOf(
  { view, family }: Pick<Client, "view" | "family">,
  { sessionId }: OpenAsk,
): string | null {
  if (sessionId === view?.handle.sessionId) return null;
  const task = taskTitles(view?.conversation ?? null).get(sessionId);
  const member = family?.members.find(({ detail }) => detail.sessionId === sessionId);
  return task ?? member?.detail.title ?? sessionId;
}

/** Returns the titles of the calls that have started child sessions, by session id. */
function taskTitles(conversation: Conversation | null): ReadonlyMap<string, string> {
  const steps = (conversation?.entries ?? []).filter((entry) => entry.kind === "step");
  const calls = steps.flatMap((step) => step.calls);
  return new Map(
    calls.flatMap(({ child, input }) => {
      const title = callTitle(input);
      return child === null || title === "" ? [] : [[child.sessionId, title] as const];
    }),
  );
}

function stateOf({ status, active }: FamilyMember["detail"]): string {
  if (status === "asking") return "needs you";
  if (active?.kind === "run") return `running, step ${active.step}`;
  return status === "queued" ? "queued" : status;
}
