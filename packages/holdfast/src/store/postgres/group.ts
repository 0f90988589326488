import { namedBy } from "../../kernel/facts.ts";
import { foldRow, workChange } from "../../kernel/ledger.ts";
import { execute } from "../../kernel/transaction.ts";
import type { Answer, Batch, LaneLoad, Load, Loaded } from "../../kernel/transaction.ts";
import { stamp } from "../store.ts";
import type { Body, StoreRequest } from "../store.ts";
import type { LaneRows, Names } from "./lane-read.ts";

/** Requests of one lane that are decided and committed together. */
export interface Group {
  readonly sessionId: string;
  readonly requests: readonly StoreRequest[];
}

/** Result of a request: its answer, or the error thrown while it was decided. */
export type Outcome =
  | { readonly status: "answered"; readonly answer: Answer }
  | { readonly status: "failed"; readonly error: unknown };

/** Decides all requests of a group; each request sees the changes of earlier ones. */
export async function decideGroup(
  group: Group,
  decision: { batch: Batch; at: number; load: (load: Load) => Loaded | Promise<Loaded> },
): Promise<readonly Outcome[]> {
  const { batch, at, load } = decision;
  const outcomes: Outcome[] = [];
  for (const { command } of group.requests) {
    const steps = execute(batch, stamp(command, at));
    let failure: { error: unknown } | null = null;
    let answer: Answer | null = null;
    let loaded: Loaded | null = null;
    while (answer === null && failure === null) {
      const step = nextStep(steps, loaded);
      if (step.status === "asks") loaded = await load(step.load);
      else if (step.status === "answered") ({ answer } = step);
      else failure = step;
    }
    if (answer !== null) outcomes.push({ status: "answered", answer });
    else if (failure !== null) outcomes.push({ status: "failed", error: failure.error });
  }
  return outcomes;
}

type Step =
  | { readonly status: "asks"; readonly load: Load }
  | { readonly status: "answered"; readonly answer: Answer }
  | { readonly status: "failed"; readonly error: unknown };

/**
 * Continues deciding a command until the decision needs data from the store, is done, or throws. If it throws, only
 * this command fails. The caller reads the data, so errors of that read are not caught here.
 */
function nextStep(steps: Generator<Load, Answer, Loaded>, loaded: Loaded | null): Step {
  try {
    const next = loaded === null ? steps.next() : steps.next(loaded);
    return next.done === true
      ? { status: "answered", answer: next.value }
      : { status: "asks", load: next.value };
  } catch (error) {
    return { status: "failed", error };
  }
}

/** Lists the rows that the group's commands refer to, so that one statement can read them. */
export function namesOf(group: Group): Names {
  const named = group.requests.map(({ command }) => namedBy(stamp(command, 0)));
  return {
    promptIds: distinct(named.map(({ promptId }) => promptId)),
    cancelIds: distinct(named.map(({ cancelId }) => cancelId)),
    askIds: distinct(named.map(({ askId }) => askId)),
    workIds: distinct(named.map(({ workId }) => workId)),
  };
}

export function namesNothing(names: Names): boolean {
  const { promptIds, cancelIds, askIds, workIds } = names;
  return promptIds.length + cancelIds.length + askIds.length + workIds.length === 0;
}

export function covers(names: Names, load: LaneLoad): boolean {
  return (
    (load.promptId === null || names.promptIds.includes(load.promptId)) &&
    (load.cancelId === null || names.cancelIds.includes(load.cancelId)) &&
    (load.askId === null || names.askIds.includes(load.askId)) &&
    (load.workId === null || names.workIds.includes(load.workId))
  );
}

export function loadedFrom(rows: LaneRows, load: LaneLoad): Loaded {
  return {
    state: rows.state,
    owner: rows.owner,
    prompt: rowOf(rows.prompts, load.promptId),
    receipt: rowOf(rows.receipts, load.cancelId),
    ask: rowOf(rows.asks, load.askId),
    work: foldRow(null, load.workId, rows.works.map(workChange)),
  };
}

/**
 * Lists the content to store. It is stored with the events that refer to it, so refused and repeated commands store
 * none.
 */
export function bodiesOf(group: Group, outcomes: readonly Outcome[]): Body[] {
  return group.requests.flatMap((request, index) => {
    const outcome = outcomes[index];
    const stores =
      outcome?.status === "answered" &&
      outcome.answer.status === "done" &&
      outcome.answer.events.length > 0;
    return stores ? [...(request.bodies ?? [])] : [];
  });
}

function rowOf<Row>(rows: Readonly<Record<string, Row>>, id: string | null): Row | null {
  return id === null || !Object.hasOwn(rows, id) ? null : (rows[id] ?? null);
}

function distinct(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.filter((id) => id !== null))];
}
