import { isDeepStrictEqual } from "node:util";
import { examine } from "../../../src/store/doctor/doctor.ts";
import type { Store } from "../../../src/store/store.ts";
import { allSessions, audit, readLedger } from "../audit.ts";
import { done, openLane } from "../lane-client.ts";
import type { Acknowledgement } from "./job.ts";
import { isIdle } from "./workload.ts";

export interface Verdict {
  readonly problems: readonly string[];
  /** Number of prompts by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** Compares the answers that the workers received with the store's final content. */
export async function checkPromises(
  store: Store,
  acknowledgements: readonly Acknowledgement[],
): Promise<Verdict> {
  const problems = await audit(store);
  const { violations } = await examine(store);
  problems.push(...violations.map((violation) => `doctor: ${JSON.stringify(violation)}`));
  if (!(await isIdle(store))) problems.push("L3: something is left waiting or running");
  for (const told of acknowledgements) {
    const found = await checkOne(store, told);
    problems.push(...found);
  }
  const outcomes: Record<string, number> = {};
  for (const sessionId of await allSessions(store)) {
    for (const { outcome, promptId } of await readLedger(store, sessionId)) {
      if (outcome === null) problems.push(`P2: ${promptId} has no outcome`);
      const kind = `${outcome?.status ?? "none"}:${outcome?.reason ?? "fine"}`;
      outcomes[kind] = (outcomes[kind] ?? 0) + 1;
    }
  }
  return { problems, outcomes };
}

async function checkOne(store: Store, told: Acknowledgement): Promise<string[]> {
  switch (told.kind) {
    case "accepted": {
      const row = await store.prompt(told.sessionId, told.promptId);
      if (row === null) return [`P1: ${told.promptId} was acknowledged and is lost`];
      if (row.acceptSeq !== told.acceptSeq) return [`P3: ${told.promptId} was accepted twice`];
      if (row.body === null || (await store.body(row.body)) === null) {
        return [`P1: the body of ${told.promptId} is lost`];
      }
      return [];
    }
    case "cancelled": {
      const { sessionId, receipt } = told;
      const again = done(await openLane(store, sessionId).cancel(receipt.cancelId));
      const problems = isDeepStrictEqual(again.receipt, receipt)
        ? []
        : [`C4: ${receipt.cancelId} answers another receipt than before`];
      for (const { promptId } of receipt.covered) {
        const row = await store.prompt(sessionId, promptId);
        if (row?.outcome?.status === "cancelled") continue;
        problems.push(`C2: ${promptId} was covered by ${receipt.cancelId} and not cancelled`);
      }
      return problems;
    }
    case "settled": {
      const row = await store.prompt(told.sessionId, told.promptId);
      if (isDeepStrictEqual(row?.outcome, told.outcome)) return [];
      return [`P2: the outcome of ${told.promptId} is not what was told`];
    }
    case "finished":
      return [];
  }
}
