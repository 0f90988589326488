import type { CommandOf } from "../command.ts";
import { intersect, sameDirectories } from "../directories.ts";
import type { Directories } from "../directories.ts";
import { emit } from "../draft.ts";
import type { Draft } from "../draft.ts";
import type { Facts } from "../facts.ts";
import { invalid, refuse } from "../refusal.ts";
import type { Refused } from "../refusal.ts";
import { activeRun, itemId } from "../state.ts";
import type { UnsettledPrompt } from "../state.ts";
import { bounds, checkDirectories, checkWhole, firstRefusal } from "../validate.ts";
import { stopRun } from "./settle.ts";

/** Changes the text of a waiting prompt (C6). */
export function decideEdit(
  draft: Draft,
  command: CommandOf<"prompt.edit">,
  facts: Facts,
): Refused | null {
  const { promptId, revision, body, bytes, maxBytes } = command;
  const prompt = waitingPrompt(draft, { promptId, facts });
  if ("status" in prompt) return prompt;
  const refusal = firstRefusal(
    checkWhole("maxBytes", maxBytes, { least: 1, most: bounds.bytes }),
    checkWhole("bytes", bytes, { least: 0, most: Number.MAX_SAFE_INTEGER }),
    checkDirectories(command.directories),
  );
  if (refusal !== null) return refusal;
  if (bytes === 0) return invalid("body", "a prompt needs text; to remove the prompt, cancel it");
  if (bytes > maxBytes) {
    return refuse(
      { code: "tooLarge", limit: maxBytes },
      `the prompt has ${bytes} bytes, and the limit is ${maxBytes}; shorten it`,
    );
  }
  // This edit was already applied: the sender repeats it because the answer was lost.
  if (prompt.revision === revision + 1 && facts.prompt?.body === body) return null;
  if (prompt.revision !== revision) {
    return refuse(
      { code: "staleRevision", revision: prompt.revision },
      `prompt ${promptId} is at revision ${prompt.revision}; read it again before editing`,
    );
  }
  const narrowed = narrowedBy(prompt, command.directories ?? null);
  emit(draft, { type: "prompt.edited", promptId, revision: revision + 1, body, ...narrowed });
  return null;
}

/** Limits an edited prompt to the directories that both its sender and the person who edits it may use. */
function narrowedBy(
  { directories }: UnsettledPrompt,
  editor: Directories,
): { directories?: readonly string[] } {
  const common = intersect(directories, editor);
  return common === null || sameDirectories(common, directories) ? {} : { directories: common };
}

export function decideMove(
  draft: Draft,
  command: CommandOf<"prompt.move">,
  facts: Facts,
): Refused | null {
  const { promptId, before } = command;
  const prompt = waitingPrompt(draft, { promptId, facts });
  if ("status" in prompt) return prompt;
  const { queue } = draft.state;
  if (before !== null && !queue.some((item) => itemId(item) === before)) {
    return refuse(
      { code: "unknownPrompt" },
      `${before} is not in the queue; name a waiting prompt`,
    );
  }
  const next = queue[queue.indexOf(prompt) + 1];
  const already = before === promptId || before === (next === undefined ? null : itemId(next));
  if (!already) emit(draft, { type: "prompt.moved", promptId, before, unbound: false });
  return null;
}

/** Moves one waiting prompt to the front and stops only the active run (L2). */
export function decidePromote(
  draft: Draft,
  command: CommandOf<"prompt.promote">,
  facts: Facts,
): Refused | null {
  const { promptId } = command;
  const prompt = waitingPrompt(draft, { promptId, facts });
  if ("status" in prompt) return prompt;
  const other = draft.state.queue.find((item) => item !== prompt);
  if (draft.state.queue[0] !== prompt || prompt.binding !== null) {
    const before = other === undefined ? null : itemId(other);
    emit(draft, { type: "prompt.moved", promptId, before, unbound: true });
  }
  if (activeRun(draft.state)?.condition.status === "running") {
    const outcome = { status: "cancelled", reason: "promoted", result: null } as const;
    stopRun(draft, { outcome, mark: null, enforce: false });
  }
  return null;
}

function waitingPrompt(
  draft: Draft,
  target: { promptId: string; facts: Facts },
): UnsettledPrompt | Refused {
  const { promptId, facts } = target;
  for (const item of draft.state.queue) {
    if (item.kind === "prompt" && item.promptId === promptId) return item;
  }
  if (facts.prompt === null) {
    return refuse({ code: "unknownPrompt" }, `there is no prompt ${promptId} in this session`);
  }
  return refuse({ code: "notWaiting" }, `prompt ${promptId} is no longer waiting`);
}
