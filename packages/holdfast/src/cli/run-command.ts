import { randomUUID } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { openRuntime } from "../main.ts";
import type { Holdfast, LaneState, LedgerRow } from "../main.ts";
import { createAsks } from "./asks.ts";
import { CliError, describeError, exitCodes } from "./cli-error.ts";
import type { ExitCode } from "./cli-error.ts";
import { createLines } from "./lines.ts";
import type { Lines } from "./lines.ts";
import { releaseHolds } from "./holds.ts";
import { listenForStops } from "./stops.ts";
import type { Stops } from "./stops.ts";
import { storeName } from "./store-name.ts";
import { createJsonView, createTextView } from "./view.ts";
import { watchFamily } from "./watch-family.ts";
import type { FamilyWatch } from "./watch-family.ts";

export interface RunInput {
  readonly text: string;
  readonly store: string;
  readonly directory: string;
  readonly session?: string;
  readonly promptId?: string;
  readonly delivery: NonNullable<Parameters<Holdfast["prompt"]>[0]["delivery"]>;
  readonly timeout?: number;
  readonly release?: true;
  readonly json?: true;
}

/** `holdfast run`: an embedded runner for one session and its children. */
export async function runPrompt(input: RunInput): Promise<ExitCode> {
  const lines = createLines();
  const onError = (error: unknown): void => lines.note(describeError(error).line);
  const directory = realFolder(input.directory);
  const sessionId = input.session ?? `session-${randomUUID()}`;
  const runtime = await openRuntime({ store: input.store, sessionId, onError });
  try {
    return await send(runtime, { ...input, directory, sessionId, lines, onError });
  } finally {
    await runtime.close();
  }
}

type Sending = RunInput & {
  readonly sessionId: string;
  readonly lines: Lines;
  readonly onError: (error: unknown) => void;
};

async function send(runtime: Holdfast, sending: Sending): Promise<ExitCode> {
  const { sessionId, text, delivery } = sending;
  const promptId = sending.promptId ?? `prompt-${randomUUID()}`;
  const stops = listenForStops(runtime, { ...sending, promptId });
  try {
    const lane = await openSession(runtime, sending);
    if (sending.json !== true) await introduce(runtime, sending, lane);
    const screen = await openScreen(runtime, sending);
    try {
      if (sending.release === true) await releaseHolds(runtime, lane);
      await runtime.prompt({ sessionId, promptId, text, delivery });
      stops.promptAccepted();
      return await finish(runtime, { ...sending, promptId, watch: screen.watch, stops });
    } finally {
      await screen.close();
    }
  } finally {
    stops.close();
  }
}

/** Shows what the session and its children do, and puts their asks to the person. */
async function openScreen(
  runtime: Holdfast,
  sending: Sending,
): Promise<{ watch: FamilyWatch; close: () => Promise<void> }> {
  const { sessionId, lines, onError } = sending;
  const isJson = sending.json === true;
  const view = isJson ? createJsonView(runtime) : createTextView(runtime, { sessionId, lines });
  const isInteractive = !isJson && process.stdin.isTTY && process.stderr.isTTY;
  const asks = createAsks(runtime, { lines, isInteractive, onError });
  const watch = await watchFamily(runtime, {
    sessionId,
    listener: {
      onJoin: ({ sessionId: member, active }) => {
        const open = active?.kind === "run" ? active.asks : [];
        for (const { askId } of open) asks.opened({ sessionId: member, askId });
      },
      onEvent: async (event) => {
        await view.event(event);
        if (event.type === "ask.opened") asks.opened(event);
        if (event.type === "ask.closed") asks.closed(event.askId);
      },
    },
  });
  const close = async (): Promise<void> => {
    asks.close();
    await watch.close();
    view.close();
  };
  return { watch, close };
}

/** Waits for the outcome, or for a reason to leave without it, and says which. */
async function finish(
  runtime: Holdfast,
  sent: Sending & { promptId: string; watch: FamilyWatch; stops: Stops },
): Promise<ExitCode> {
  const { watch, stops } = sent;
  const interrupted = (): boolean => stops.wasInterrupted();
  const row = await Promise.race([watch.until(() => settledOrHeld(runtime, sent)), stops.left]);
  if (row === "left") return exitCodes.terminated;
  if (row.status === "settled") {
    stops.promptSettled();
    const idle = watch.until(() => idleFamily(runtime, sent));
    if ((await Promise.race([idle, stops.left])) === "left") {
      return interrupted() ? exitCodes.interrupted : exitCodes.terminated;
    }
  }
  await watch.caughtUp();
  await conclude(runtime, sent, row);
  if (row.outcome?.status === "completed") return exitCodes.ok;
  return interrupted() ? exitCodes.interrupted : exitCodes.failure;
}

async function openSession(runtime: Holdfast, sending: Sending): Promise<LaneState> {
  const { sessionId, directory, store } = sending;
  if (sending.session === undefined) return runtime.createSession({ sessionId, directory });
  const lane = await runtime.store.lane(sessionId);
  if (lane !== null) return lane;
  const advice = "leave --session out to start a new one, `holdfast prompts` lists what there is";
  throw new CliError(
    "unknownSession",
    `there is no session ${sessionId} in ${storeName(store)}; ${advice}`,
  );
}

async function introduce(runtime: Holdfast, sending: Sending, lane: LaneState): Promise<void> {
  const { lines, sessionId, store } = sending;
  lines.note(
    'Demo agent: offline, no model is called (the prompt "help" says what it understands)',
  );
  lines.note(`session ${sessionId}${sending.session === undefined ? " (new)" : ""}`);
  lines.note(`in ${lane.directory}, kept in ${storeName(store)}`);
  const others = await runtime.unfinished();
  if (others.length > 0) {
    const count =
      others.length === 1 ? "1 other session has" : `${others.length} other sessions have`;
    const [first] = others;
    const example = `holdfast run --session ${first?.sessionId} "say go on"`;
    lines.note(`${count} unfinished work, which is left alone; to continue: ${example}`);
  }
  lines.note("");
}

/** The prompt's entry once it is settled, or while nothing but a person can make it start. */
async function settledOrHeld(
  runtime: Holdfast,
  target: { sessionId: string; promptId: string },
): Promise<LedgerRow | null> {
  const row = await runtime.store.prompt(target.sessionId, target.promptId);
  if (row === null || row.status === "settled") return row;
  const { holds = [] } = (await runtime.store.lane(target.sessionId)) ?? {};
  const lasts = holds.some((hold) => hold.kind !== "failure" || hold.retryAt === null);
  return lasts ? row : null;
}

/** True when neither the session nor a background child of it has anything left to do here. */
async function idleFamily(
  runtime: Holdfast,
  target: { sessionId: string; watch: FamilyWatch },
): Promise<true | null> {
  const lane = await runtime.store.lane(target.sessionId);
  if (lane === null) return true;
  const waits = lane.background.some((child) => target.watch.isMember(child.sessionId));
  const queued = lane.queue.length > 0 && lane.holds.length === 0;
  return lane.active !== null || waits || queued ? null : true;
}

async function conclude(
  runtime: Holdfast,
  sent: Sending & { promptId: string },
  row: LedgerRow,
): Promise<void> {
  const { sessionId, promptId, lines } = sent;
  const text = await runtime.resultText(row);
  if (sent.json === true) {
    console.log(
      JSON.stringify({ type: "outcome", sessionId, promptId, outcome: row.outcome, text }),
    );
    return;
  }
  lines.note("");
  if (row.outcome === null) {
    const again = `holdfast run --session ${sessionId} --release "say go on"`;
    lines.note(`held: the session waits for a person, and the prompt is kept; to go on: ${again}`);
    return;
  }
  const { status, reason } = row.outcome;
  const why = reason === null ? "" : ` (${reason})`;
  const message = status === "failed" && text !== null ? `: ${text}` : "";
  lines.note(`${status}${why}${message}`);
  const { holds = [] } = (await runtime.store.lane(sessionId)) ?? {};
  if (holds.length > 0) lines.note("the session is held; its next prompt lifts the hold and tries");
  lines.note(`continue with: holdfast run --session ${sessionId} "..."`);
}

function realFolder(folder: string): string {
  try {
    if (statSync(folder).isDirectory()) return realpathSync(folder);
  } catch {
    // It is not there: said below.
  }
  const problem = `${folder} is no folder; name one that exists with --directory`;
  throw new CliError("directory", problem, exitCodes.usage);
}
