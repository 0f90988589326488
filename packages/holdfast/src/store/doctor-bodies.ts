import type { LaneEvent } from "../kernel/event.ts";
import { makeBody } from "./body.ts";
import type { Findings } from "./doctor-findings.ts";
import type { StoreReader } from "./store.ts";

/** Verifies that what an event refers to is there, and is what it was. */
export interface BodyCheck {
  /** `mayBeGone`: of a deleted session, whose bodies nobody needs. */
  examine(event: LaneEvent, options: { mayBeGone: boolean }): Promise<void>;
}

const maxKnown = 50_000;

export function createBodyCheck(reader: StoreReader, findings: Findings): BodyCheck {
  const sound = new Set<string>();
  const check = async (
    event: LaneEvent,
    { hash, mayBeGone }: { hash: string; mayBeGone: boolean },
  ): Promise<void> => {
    if (sound.has(hash)) return;
    const content = await reader.body(hash);
    const where = `seq ${event.seq} ${event.type}`;
    if (content === null) {
      if (mayBeGone) return;
      findings.report(event.sessionId, `P1: body ${hash} is missing (${where})`);
      return;
    }
    if (makeBody(content).hash !== hash) {
      findings.report(event.sessionId, `P1: body ${hash} has other content (${where})`);
      return;
    }
    findings.count("bodies");
    if (sound.size >= maxKnown) sound.clear();
    sound.add(hash);
  };
  return {
    examine: async (event, { mayBeGone }) => {
      for (const hash of bodiesOf(event) ?? []) {
        if (hash !== null) await check(event, { hash, mayBeGone });
      }
    },
  };
}

/** Undefined for events of a kind that only a newer program knows. */
function bodiesOf(event: LaneEvent): (string | null)[] | undefined {
  switch (event.type) {
    case "prompt.accepted":
      return [event.body, event.resultOf?.outcome.result ?? null];
    case "prompt.edited":
    case "step.answered":
    case "tool.started":
    case "tool.ended":
    case "ask.opened":
    case "work.queued":
    case "work.ended":
      return [event.body];
    case "ask.closed":
      return event.resolution.kind === "answered" ? [event.resolution.body] : [];
    case "prompt.settled":
    case "prompt.tombstoned":
    case "run.stopping":
    case "run.closing":
    case "run.ended":
    case "child.settled":
      return [event.outcome.result];
    case "session.created":
      return [event.origin?.transcript ?? null];
    case "session.renamed":
    case "session.archived":
    case "session.deleted":
    case "prompt.moved":
    case "prompt.takenIn":
    case "prompt.returned":
    case "prompt.unwanted":
    case "branch.ended":
    case "run.started":
    case "run.resumed":
    case "run.suspended":
    case "run.handedOver":
    case "run.waiting":
    case "run.woken":
    case "step.opened":
    case "child.linked":
    case "cancel.committed":
    case "hold.placed":
    case "hold.released":
    case "work.started":
    case "work.stopping":
      return [];
  }
}
