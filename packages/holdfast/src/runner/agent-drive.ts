import type { Fact, ToolIntent } from "../agent/agent.ts";
import type { Clock } from "../base/time.ts";
import type { AnswerBody, IntentBody, ToolBody } from "../agent/message.ts";
import { noUsage } from "../kernel/state.ts";
import type { Done } from "../kernel/transaction.ts";
import { makeBody } from "../store/body.ts";
import { StoreError } from "../store/store-error.ts";
import type { Body } from "../store/store.ts";
import { RunAbandoned } from "../agent/run-abandoned.ts";
import { RunLost } from "../agent/run-lost.ts";
import { openContext } from "./agent-context.ts";
import type { Claim } from "./claim.ts";
import type { Committer } from "./committer.ts";
import type { ExecutionOptions } from "./execution.ts";
import type { LaneChanges } from "./lane-changes.ts";
import type { Place } from "./place.ts";
import { completed, endingOf, failedWith, resultBody } from "./run-end.ts";
import type { RunEnd } from "./run-end.ts";

export interface Drive extends ExecutionOptions {
  readonly place: Place;
  readonly claim: Claim;
  readonly committer: Committer;
  readonly controller: AbortController;
  readonly changes: LaneChanges;
}

/**
 * Result of the agent's work. `over`: the end of the run must still be committed. `ended`: the end was committed with
 * the last answer. `goesOn`: the run continues after its last answer. `crashed`: the agent simulated a crash; the run
 * is handed over after `silence` milliseconds.
 */
export type Driven =
  | { readonly status: "over"; readonly end: RunEnd }
  | { readonly status: "ended" | "goesOn" }
  | { readonly status: "crashed"; readonly silence: number };

/** Runs the agent and commits the facts that it reports, until the agent ends or fails, or the run is lost. */
export async function runAgent(drive: Drive): Promise<Driven> {
  const { agent, claim, changes, controller, committer } = drive;
  if (claim.pin === null) return over(failedWith(claim.problem));
  const checked: Committer = {
    ...committer,
    // A commit returns the lane's newest state. Check this state for a stop at once: the notification about the stop
    // may arrive later.
    commit: async (data, bodies) => {
      const answer = await committer.commit(data, bodies);
      changes.check();
      return answer;
    },
  };
  const context = await openContext({
    ...drive,
    committer: checked,
    pin: claim.pin,
    signal: controller.signal,
    until: changes.until,
  });
  const pace = createPace(drive.clock);
  let facts: AsyncIterator<Fact> | null = null;
  let result: string | null = null;
  try {
    facts = agent.run(context)[Symbol.asyncIterator]();
    for (;;) {
      const next = await changes.unlessLost(facts.next());
      if (next.done === true) return over(completed(result));
      const fact = next.value;
      if (fact.type === "answer" || fact.type === "result") result = fact.text;
      if (fact.type === "delta") await pace.breathe();
      if (fact.type === "answer" && fact.last === true) {
        const { events } = await takeAnswer(drive, fact);
        leave(facts);
        const status = endingOf(events);
        return status === null ? over(completed(result)) : { status };
      }
      await takeFact({ ...drive, committer: checked }, fact);
    }
  } catch (error) {
    // Tell the agent before it cleans up: it must end its work at once, because another process may go on (L5).
    if (error instanceof RunLost) changes.lose(error);
    leave(facts);
    // The store is unavailable, which is not the agent's failure: the run continues when the store is back.
    if (error instanceof RunLost || error instanceof StoreError) throw error;
    if (controller.signal.aborted) return over(completed(result));
    if (error instanceof RunAbandoned) return { status: "crashed", silence: error.silence };
    return over(failedWith(error));
  }
}

function over(end: RunEnd): Driven {
  return { status: "over", end };
}

/** Lets the agent clean up. Its result is ignored, even if it fails. */
function leave(facts: AsyncIterator<Fact> | null): void {
  Promise.resolve(facts?.return?.()).catch(() => {});
}

async function takeFact(drive: Drive, fact: Fact): Promise<void> {
  const { committer, deltas } = drive;
  const { sessionId } = committer.lane();
  switch (fact.type) {
    case "delta": {
      const { runId, attempt } = committer.handle;
      const { step } = committer.run();
      const { kind, text, callId = null } = fact;
      deltas.publish({ sessionId, runId, step, attempt, kind, callId, text });
      return;
    }
    case "answer":
      // A drain interrupted the answer, so do not commit it: the next owner repeats the step.
      if (fact.interrupted === true && committer.run().condition.status === "running") return;
      await takeAnswer(drive, fact);
      return;
    case "toolStart": {
      const bodies = intentBodies(fact.intent);
      const body = lastHash(bodies);
      await committer.commit({ type: "tool.start", callId: fact.callId, body }, bodies);
      return;
    }
    case "toolEnd": {
      const { callId, status } = fact;
      deltas.settleCall(sessionId, callId);
      const bodies = resultBodies(fact);
      const body = lastHash(bodies);
      await committer.commit({ type: "tool.end", callId, status, body }, bodies);
      return;
    }
    case "result":
      return;
  }
}

function takeAnswer(
  { committer, deltas, caps: capsNow }: Drive,
  fact: Extract<Fact, { type: "answer" }>,
): Promise<Done> {
  const { text, calls = [], extra = null, usage = noUsage, interrupted = false } = fact;
  const { within, starts, ends } = fact;
  const content: AnswerBody = { text, calls, extra };
  const answer = makeBody(JSON.stringify(content));
  const result = fact.last === true ? resultBody(text) : null;
  const intent = intentBodies(starts?.intent);
  const output = ends === undefined ? [] : resultBodies(ends);
  const { sessionId } = committer.lane();
  deltas.settle(sessionId);
  if (ends !== undefined) deltas.settleCall(sessionId, ends.callId);
  const caps = capsNow();
  return committer.commit(
    {
      type: "step.answer",
      body: answer.hash,
      calls: calls.map(({ callId, name, repeatable, seen }) => ({
        callId,
        name,
        repeatable,
        ...(seen === undefined ? {} : { seen }),
      })),
      usage,
      ...(caps === null ? {} : { caps }),
      interrupted,
      ...(within === undefined ? {} : { within }),
      ...(starts === undefined
        ? {}
        : { starts: { callId: starts.callId, body: lastHash(intent) } }),
      ...(ends === undefined
        ? {}
        : { ends: { callId: ends.callId, status: ends.status, body: lastHash(output) } }),
      completes: result === null ? null : { result: result.hash },
    },
    [answer, ...intent, ...output, ...(result === null ? [] : [result])],
  );
}

function lastHash(bodies: readonly Body[]): string | null {
  return bodies.at(-1)?.hash ?? null;
}

/**
 * Returns the content to store for an intent: the old file contents first, then the description that refers to them.
 */
function intentBodies(intent: ToolIntent | undefined): readonly Body[] {
  if (intent === undefined) return [];
  const kept = intent.files.map(({ path, before }) => ({
    path,
    body: before === null ? null : makeBody(before),
  }));
  const content: IntentBody = {
    summary: intent.summary,
    files: kept.map(({ path, body }) => ({ path, before: body?.hash ?? null })),
  };
  const contents = kept.flatMap(({ body }) => (body === null ? [] : [body]));
  return [...contents, makeBody(JSON.stringify(content))];
}

/** Returns the content to store for a tool result: its files first, then the result that refers to them. */
function resultBodies(
  fact: Pick<Extract<Fact, { type: "toolEnd" }>, "output" | "extra" | "files">,
): readonly Body[] {
  const { output, extra = null, files = [] } = fact;
  const shown = files.map(({ name, mediaType, content }) => {
    const body = makeBody(content);
    return { body, reference: { hash: body.hash, name, mediaType, bytes: content.byteLength } };
  });
  const content: ToolBody = {
    output,
    extra,
    ...(shown.length === 0 ? {} : { files: shown.map(({ reference }) => reference) }),
  };
  return [...shown.map(({ body }) => body), makeBody(JSON.stringify(content))];
}

/**
 * Returns a function that yields to the event loop: an agent that never waits would block timers and the renewal of the
 * lease.
 */
function createPace(clock: Clock): { breathe(): Promise<void> } {
  let since = clock.monotonic();
  return {
    breathe: async () => {
      if (clock.monotonic() - since < 5) return;
      await new Promise((resolve) => setImmediate(resolve));
      since = clock.monotonic();
    },
  };
}
