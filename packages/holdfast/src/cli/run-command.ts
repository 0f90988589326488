import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { openReader, openRuntime, storeName } from "../main.ts";
import type { Runtime, LaneState, LedgerRow } from "../main.ts";
import { readAnswerSchema } from "./answer-schema.ts";
import type { AnswerSchema, AnswerValue } from "./answer-schema.ts";
import { CliError, describeError, exitCodes } from "./cli-error.ts";
import type { ExitCode } from "./cli-error.ts";
import { conclude, introduce } from "./conclude.ts";
import { findSessions } from "./find-sessions.ts";
import { realFolder } from "./folder.ts";
import { releaseHolds } from "./holds.ts";
import { createLines } from "./lines.ts";
import type { Lines } from "./lines.ts";
import { idleFamily, settledOrHeld } from "./outcome.ts";
import { promptText } from "./prompt-text.ts";
import { openScreen } from "./screen.ts";
import type { Screen } from "./screen.ts";
import { listenForStops } from "./stops.ts";
import type { Stops } from "./stops.ts";

export interface RunInput {
  /** Left out or `-`: it comes from stdin. */
  readonly text: string | undefined;
  readonly store: string;
  readonly directory: string;
  readonly session?: string;
  readonly continue?: true;
  readonly model?: string;
  readonly file: readonly string[];
  readonly promptId?: string;
  readonly delivery: NonNullable<Parameters<Runtime["prompt"]>[0]["delivery"]>;
  readonly timeout?: number;
  readonly schema?: string;
  readonly release?: true;
  readonly yes?: true;
  readonly quiet?: true;
  readonly json?: true;
}

/** `holdfast run`: an embedded runner for one session and its children. */
export async function runPrompt(input: RunInput): Promise<ExitCode> {
  // All that can be wrong with the input is said before anything is opened or sent.
  const directory = realFolder(input.directory);
  const schema = input.schema === undefined ? null : readAnswerSchema(input.schema);
  const words = await promptText({ text: input.text, files: input.file });
  const isQuiet = input.quiet === true || input.json === true;
  const lines = createLines({ answers: !isQuiet && schema === null, notes: !isQuiet });
  const onError = (error: unknown): void => lines.say(describeError(error).line);
  const known =
    input.continue === true ? await newestSession(input.store, directory) : input.session;
  const sessionId = known ?? `session-${randomUUID()}`;
  const { store, model = null } = input;
  const environment = process.env;
  const opened = await openRuntime({
    store,
    sessionId,
    model,
    environment,
    home: homedir(),
    onError,
  });
  const { runtime, redact } = opened;
  try {
    const text = hideKeys(schema === null ? words : schema.prompt(words), { redact, lines });
    const lane = await openSession(runtime, {
      sessionId,
      directory,
      store,
      isNew: known === undefined,
    });
    const place = { sessionId, store, lane, model: opened.model, isNew: known === undefined };
    if (!isQuiet) await introduce(runtime, { ...place, lines });
    return await send(runtime, { ...input, text, schema, lane, sessionId, lines, onError });
  } finally {
    lines.close();
    await runtime.close();
  }
}

export type Sending = Omit<RunInput, "text" | "schema"> & {
  readonly text: string;
  readonly schema: AnswerSchema | null;
  readonly lane: LaneState;
  readonly sessionId: string;
  readonly lines: Lines;
  readonly onError: (error: unknown) => void;
};

async function send(runtime: Runtime, sending: Sending): Promise<ExitCode> {
  const stops = listenForStops(runtime, sending);
  const { sessionId, lines, onError } = sending;
  try {
    const screen = await openScreen(runtime, {
      sessionId,
      lines,
      isJson: sending.json === true,
      allowsAll: sending.yes === true,
      onGone: stops.leave,
      onError,
    });
    try {
      if (sending.release === true) await releaseHolds(runtime, sending.lane);
      return await finish({ runtime, sending, screen, stops });
    } finally {
      await screen.close();
    }
  } finally {
    stops.close();
  }
}

interface Parts {
  readonly runtime: Runtime;
  readonly sending: Sending;
  readonly screen: Screen;
  readonly stops: Stops;
}

/** Waits for the outcome, or for a reason to leave without it, and says which. */
async function finish(parts: Parts): Promise<ExitCode> {
  const { runtime, sending, screen, stops } = parts;
  const answer = await askForAnswer(parts);
  if (answer === "left") return exitCodes.terminated;
  const { row, form } = answer;
  // Who has pressed Ctrl-C wants to go, whatever else is still at work.
  if (row.status === "settled" && !stops.wasInterrupted()) {
    stops.promptSettled();
    const { sessionId } = sending;
    const idle = screen.watch.until(() => idleFamily(runtime, { sessionId, watch: screen.watch }));
    if ((await Promise.race([idle, stops.left])) === "left") {
      return stops.wasInterrupted() ? exitCodes.interrupted : exitCodes.terminated;
    }
  }
  await screen.watch.caughtUp();
  const receipt = await stops.receipt();
  await conclude(runtime, { ...sending, row, form, receipt, usage: screen.view.usage() });
  if (row.outcome?.status === "completed" && form?.status !== "unfit") return exitCodes.ok;
  return stops.wasInterrupted() ? exitCodes.interrupted : exitCodes.failure;
}

interface Answered {
  readonly row: LedgerRow;
  /** How the answer stands to the form that was asked for; null where none was. */
  readonly form: AnswerValue | null;
}

/** Sends the prompt, and, where its answer does not have the form that it should, once more. */
async function askForAnswer(parts: Parts): Promise<Answered | "left"> {
  const { runtime, sending, stops } = parts;
  const { schema, lines, text, promptId = `prompt-${randomUUID()}` } = sending;
  const row = await perform(parts, { promptId, text });
  if (row === "left" || schema === null || row.outcome?.status !== "completed") {
    return row === "left" ? "left" : { row, form: null };
  }
  const form = schema.read((await runtime.resultText(row)) ?? "");
  if (form.status === "fits" || stops.wasInterrupted()) return { row, form };
  lines.note(`the answer does not fit: ${form.problems.join("; ")}; asking once more`);
  // The id follows from the first, so that sending both again is sending them once (P3).
  const again = { promptId: `${promptId}:again`, text: schema.again(form.problems) };
  const second = await perform(parts, again);
  if (second === "left" || second.outcome?.status !== "completed") {
    return second === "left" ? "left" : { row: second, form: null };
  }
  return { row: second, form: schema.read((await runtime.resultText(second)) ?? "") };
}

/** Sends one prompt; its entry once it is settled, or held for a person. */
async function perform(
  { runtime, sending, screen, stops }: Parts,
  prompt: { promptId: string; text: string },
): Promise<LedgerRow | "left"> {
  const { sessionId, delivery } = sending;
  stops.promptAccepted(await runtime.prompt({ sessionId, delivery, ...prompt }));
  const { promptId } = prompt;
  const settled = screen.watch.until(() => settledOrHeld(runtime, { sessionId, promptId }));
  return Promise.race([settled, stops.left]);
}

async function openSession(
  runtime: Runtime,
  target: { sessionId: string; directory: string; store: string; isNew: boolean },
): Promise<LaneState> {
  const { sessionId, directory, store, isNew } = target;
  if (isNew) return runtime.createSession({ sessionId, directory });
  const lane = await runtime.store.lane(sessionId);
  if (lane === null) {
    const advice =
      "leave --session out to start a new one, `holdfast sessions` lists what there is";
    const problem = `there is no session ${sessionId} in ${storeName(store)}; ${advice}`;
    throw new CliError("unknownSession", problem);
  }
  if (existsSync(lane.directory)) return lane;
  const problem = `the session works in ${lane.directory}, which is not there any more`;
  throw new CliError("directory", `${problem}; put it back, or start a new session`);
}

/** The session of this directory in which something happened last. */
async function newestSession(store: string, directory: string): Promise<string> {
  const reader = await openReader(store);
  try {
    const [newest] = await findSessions(reader, { directory, children: false });
    if (newest !== undefined) return newest.lane.sessionId;
  } finally {
    await reader.close();
  }
  const problem = `no session has worked in ${directory} yet; leave --continue out to start one`;
  throw new CliError("unknownSession", problem);
}

/** A key that is sent to a model is no secret any more, however it got into the prompt. */
function hideKeys(
  text: string,
  options: { redact: (text: string) => string; lines: Lines },
): string {
  const hidden = options.redact(text);
  if (hidden !== text) options.lines.say("a configured key in the prompt was replaced by [secret]");
  return hidden;
}
