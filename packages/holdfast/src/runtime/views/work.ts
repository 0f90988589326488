import type { Actor, WorkEnd } from "../../kernel/event.ts";
import type { WorkRow } from "../../kernel/ledger.ts";
import type { StoreReader } from "../../store/store.ts";
import { readBody } from "../../log/bodies.ts";
import type { WorkResult } from "../../runner/work-handler.ts";

/** Exclusive work as people see it. */
export interface WorkView<Value = unknown> {
  readonly sessionId: string;
  readonly workId: string;
  readonly name: string;
  readonly actor: Actor;
  readonly status: "queued" | "running" | "ended";
  /** Why it ended; null until then. Only `done` came to its own end. */
  readonly cause: WorkEnd | null;
  readonly input: unknown;
  /** What it said at its end; null when others had to end it. */
  readonly result: WorkResult<Value> | null;
  readonly queuedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

export async function viewWork<Value>(store: StoreReader, row: WorkRow): Promise<WorkView<Value>> {
  const { sessionId, workId, name, actor, queuedAt, started, ended } = row;
  const [input, result] = await Promise.all([
    readBody<unknown>(store, row.body),
    readBody<WorkResult<Value>>(store, ended?.body ?? null),
  ]);
  return {
    sessionId,
    workId,
    name,
    actor,
    status: ended !== null ? "ended" : started !== null ? "running" : "queued",
    cause: ended?.cause ?? null,
    input,
    result,
    queuedAt,
    startedAt: started?.at ?? null,
    endedAt: ended?.at ?? null,
  };
}
