import type { CommandOf, WorkHandle } from "../command.ts";
import { checkOpen, emit } from "../draft.ts";
import type { Draft } from "../draft.ts";
import type { Facts, OwnerLease } from "../facts.ts";
import { refuse } from "../refusal.ts";
import type { Refused } from "../refusal.ts";
import {
  bounds,
  checkChosenId,
  checkDuration,
  checkId,
  checkText,
  firstRefusal,
} from "../validate.ts";
import { checkFree } from "./run.ts";

/**
 * Queues an exclusive operation, which runs in queue order with no run beside it (M8). An id is executed only once: a
 * repeated request, even after the end, returns the same operation.
 */
export function decideWorkQueue(
  draft: Draft,
  command: CommandOf<"work.queue">,
  facts: Facts,
): Refused | null {
  const { workId, name, body } = command;
  const invalid = firstRefusal(checkChosenId("workId", workId), checkText("name", name));
  if (invalid !== null) return invalid;
  if (facts.work !== null) {
    if (facts.work.name === name && facts.work.body === body) return null;
    return refuse(
      { code: "conflict" },
      `an operation with the id ${workId} already exists with different content; choose a new id`,
    );
  }
  const refusal = checkOpen(draft) ?? checkRoom(draft);
  if (refusal !== null) return refusal;
  emit(draft, { type: "work.queued", workId, name, body });
  return null;
}

function checkRoom(draft: Draft): Refused | null {
  const waiting = draft.state.queue.filter((item) => item.kind === "work").length;
  if (waiting < bounds.work) return null;
  return refuse(
    { code: "queueFull", limit: bounds.work },
    `${waiting} exclusive operations are waiting, and the limit is ${bounds.work}; wait, or cancel the queue of the session`,
  );
}

export function decideWorkStart(draft: Draft, command: CommandOf<"work.start">): Refused | null {
  const { workId, owner, stopGrace } = command;
  const refusal = firstRefusal(
    checkId("owner", owner),
    checkDuration("stopGrace", stopGrace),
    checkFree(draft.state),
  );
  if (refusal !== null) return refusal;
  const { queue } = draft.state;
  const place = queue.findIndex((item) => item.kind === "work" && item.workId === workId);
  if (place === -1)
    return refuse({ code: "unknownWork" }, `the operation ${workId} is not in the queue`);
  if (place > 0)
    return refuse({ code: "outOfOrder" }, `the operation ${workId} is not first in the queue`);
  const fence = draft.state.fence + 1;
  emit(draft, { type: "work.started", workId, owner, fence, stopGrace });
  return null;
}

export function decideWorkEnd(draft: Draft, command: CommandOf<"work.end">): Refused | null {
  const { workId, body } = command;
  const { active } = draft.state;
  const refusal = ownWork(draft, command);
  if (refusal !== null) return refusal;
  const cause = active?.condition.status === "stopping" ? "cancelled" : "done";
  emit(draft, { type: "work.ended", workId, cause, body });
  return null;
}

/** Refuses a writer that does not own the active operation (L5). */
export function ownWork(draft: Draft, { workId, fence }: WorkHandle): Refused | null {
  const { active } = draft.state;
  if (active?.kind === "work" && active.workId === workId && draft.state.fence === fence)
    return null;
  return refuse(
    { code: "fenced" },
    `the operation ${workId} has ended or another process has ended it; stop executing it`,
  );
}

/** Ends an exclusive operation whose process is gone. It cannot be resumed, so the lane is free again (M8). */
export function takeOverWork(draft: Draft, owner: OwnerLease): Refused | null {
  const { active } = draft.state;
  if (active?.kind !== "work") return null;
  if (owner.alive)
    return refuse(
      { code: "owned", owner: active.owner },
      "the process that works on this session still has a valid lease; retry after the lease has expired",
    );
  emit(draft, { type: "work.ended", workId: active.workId, cause: "takeover", body: null });
  return null;
}
