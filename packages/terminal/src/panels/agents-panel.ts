import type { Look } from "../screen/look.ts";
import { justify, oneLine } from "../screen/text.ts";
import type { FamilyMember } from "../session/family.ts";

const shownRows = 5;

/** The sub-agents at work as a tree, each with its state. */
export function agentRows(
  members: readonly FamilyMember[],
  { look, columns }: { look: Look; columns: number },
): string[] {
  if (members.length === 0) return [];
  const rows = members.slice(0, shownRows).map(({ detail, depth }) => {
    const title = oneLine(detail.title ?? detail.sessionId);
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

function stateOf({ status, active }: FamilyMember["detail"]): string {
  if (status === "asking") return "needs you";
  if (active?.kind === "run") return `step ${active.step}`;
  return status === "queued" ? "queued" : status;
}
