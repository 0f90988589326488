import { bodiesNamedBy, isKnownType } from "../../kernel/event-table.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import { makeBody } from "../body.ts";
import type { Findings } from "./findings.ts";
import type { StoreReader } from "../store.ts";

/** Checks that all content that an event refers to is stored and unchanged. */
export interface BodyCheck {
  /** `mayBeGone`: true if the session was deleted, so that its content may be missing. */
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
      findings.report(
        event.sessionId,
        `P1: the content of body ${hash} does not match its hash (${where})`,
      );
      return;
    }
    findings.count("bodies");
    if (sound.size >= maxKnown) sound.clear();
    sound.add(hash);
  };
  return {
    examine: async (event, { mayBeGone }) => {
      // Skip event types of a newer release: this release does not know which of their fields refer to stored content.
      if (!isKnownType(event.type)) return;
      for (const { hash } of bodiesNamedBy(event)) await check(event, { hash, mayBeGone });
    },
  };
}
