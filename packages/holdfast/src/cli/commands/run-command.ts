import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { HoldfastError } from "@holdfast/sdk";
import type { Delivery, Prompt, SessionDetail, SessionHandle } from "@holdfast/sdk";
import { readAnswerSchema } from "../answer-schema/answer-schema.ts";
import type { AnswerSchema, AnswerValue } from "../answer-schema/answer-schema.ts";
import { CliError, exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { expectSession, folderOf, placeWords } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { printOutcome, introduce } from "./print-outcome.ts";
import { describeError } from "../describe-error.ts";
import { releaseHolds } from "./holds.ts";
import { createLines } from "../terminal/lines.ts";
import type { Lines } from "../terminal/lines.ts";
import { idleFamily, settledOrHeld } from "./outcome.ts";
import { tellNotices } from "../terminal/notice.ts";
import { promptContent, readSlashCommand } from "./prompt-content.ts";
import type { PromptWords } from "./prompt-content.ts";
import { openRun } from "./run-client.ts";
import type { OpenedRun, RunClient } from "./run-client.ts";
import { openScreen } from "../terminal/screen.ts";
import type { Screen } from "../terminal/screen.ts";
import { listenForInterrupts } from "./interrupts.ts";
import type { Interrupts } from "./interrupts.ts";

export interface RunInput extends ClientOptions {
  /** Left out or `-`: it comes from stdin. */
  readonly text: string | undefined;
  readonly directory: string;
  readonly session?: string;
  readonly continue?: true;
  readonly model?: string;
  readonly agent?: string;
  readonly file: readonly string[];
  readonly promptId?: string;
  readonly delivery: Delivery;
  /** In US dollars. */
  readonly budget?: number;
  readonly onBudget: "fail" | "ask";
  readonly timeout?: number;
  readonly patience: number;
  readonly schema?: string;
  readonly release?: true;
  readonly yes?: true;
  readonly quiet?: true;
  readonly json?: true;
}

/** `holdfast run`: at a server where there is one, else in this process. */
export async function runPrompt(input: RunInput): Promise<ExitCode> {
  // All that can be wrong with the input is said before anything is opened or sent.
  const directory = folderOf(input, input.directory);
  const schema = input.schema === undefined ? null : readAnswerSchema(input.schema);
  const words = await promptContent({ text: input.text, files: input.file });
  const content = schema === null ? words : { ...words, text: schema.prompt(words.text) };
  const isQuiet = input.quiet === true || input.json === true;
  const lines = createLines({ answers: !isQuiet && schema === null, notes: !isQuiet });
  const onError = (error: unknown): void => lines.say(describeError(error).line);
  const { promptId = `prompt-${randomUUID()}` } = input;
  const newSessionId = sessionIdFor(directory, promptId);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => lines.close());
  const opened = await openRun({ ...input, directory }, { newSessionId, lines, onError });
  const { known } = opened;
  const client = stack.use(opened.client);
  const leaving = new AbortController();
  let telling: Promise<void> | null = null;
  stack.defer(async () => {
    leaving.abort();
    await telling;
  });
  const detail = await openSession(opened, { directory, store: input.store });
  if (!isQuiet) {
    await introduce(client, { ...input, session: detail, isNew: known === null, lines });
    const { signal } = leaving;
    telling = tellNotices(client.holdfast, { directory: detail.directory, lines, signal });
  }
  const session = client.holdfast.session(opened.sessionId);
  const sending = { ...input, content, schema, promptId, lines, onError };
  const exitCode = await send({ client, session, sending });
  // After a run its setup is loaded, so all notices are known.
  if (exitCode === exitCodes.ok) await telling;
  return exitCode;
}

/** It follows from the prompt's id, so that a prompt that is sent twice is in one new session (P3). */
function sessionIdFor(directory: string, promptId: string): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([directory, promptId]))
    .digest("hex");
  return `session-${hash.slice(0, 32)}`;
}

type Sending = Omit<RunInput, "text" | "schema"> & {
  readonly content: PromptWords;
  readonly schema: AnswerSchema | null;
  readonly promptId: string;
  readonly lines: Lines;
  readonly onError: (error: unknown) => void;
};

interface Target {
  readonly client: RunClient;
  readonly session: SessionHandle;
  readonly sending: Sending;
}

async function send({ client, session, sending }: Target): Promise<ExitCode> {
  const { sessionId } = session;
  const isShared = client.url !== null;
  const unanswered = unansweredFate(sessionId, sending.promptId);
  const interrupts = listenForInterrupts(session, { ...sending, isShared, unanswered });
  const sent: Sent = { isAccepted: false };
  try {
    const screen = await openScreen(client.holdfast, {
      ...sending,
      sessionId,
      isShared,
      isJson: sending.json === true,
      allowsAll: sending.yes === true,
      onGone: interrupts.leave,
    });
    try {
      if (sending.release === true) await releaseHolds(session);
      return await finish({ client, session, sending, screen, interrupts, sent });
    } finally {
      await screen.close();
    }
  } catch (error) {
    throw isShared ? lostServer(error, { session, sending, sent }) : error;
  } finally {
    interrupts.close();
  }
}

/** What is known of the prompt when the server is lost. */
interface Sent {
  isAccepted: boolean;
}

interface Parts extends Target {
  readonly screen: Screen;
  readonly interrupts: Interrupts;
  readonly sent: Sent;
}

/** Waits for the outcome, or for a reason to leave without it, and says which. */
async function finish(parts: Parts): Promise<ExitCode> {
  const { client, session, sending, screen, interrupts } = parts;
  const leaving = (): ExitCode => {
    if (interrupts.wasLate()) return exitCodes.failure;
    return interrupts.wasInterrupted() ? exitCodes.interrupted : exitCodes.terminated;
  };
  const answer = await askForAnswer(parts);
  if (answer === "left") return leaving();
  const { entry, form } = answer;
  // A server goes on with what is left. And who has pressed Ctrl-C wants to go in any case.
  if (entry.status === "settled" && client.url === null && !interrupts.wasInterrupted()) {
    interrupts.promptSettled();
    const idle = screen.watch.until(() => idleFamily(session, screen.watch));
    if ((await Promise.race([idle, interrupts.left])) === "left") return leaving();
  }
  await screen.watch.caughtUp();
  const receipt = await interrupts.receipt();
  await printOutcome(session, { ...sending, entry, form, receipt, usage: screen.view.usage() });
  if (entry.outcome?.status === "completed" && form?.status !== "unfit") return exitCodes.ok;
  return interrupts.wasInterrupted() ? exitCodes.interrupted : exitCodes.failure;
}

interface Answered {
  readonly entry: Prompt;
  /** How the answer stands to the form that was asked for; null where none was. */
  readonly form: AnswerValue | null;
}

/** Sends the prompt, and, where its answer does not have the form that it should, once more. */
async function askForAnswer(parts: Parts): Promise<Answered | "left"> {
  const { sending, interrupts } = parts;
  const { schema, lines, content, promptId } = sending;
  const entry = await perform(parts, { promptId, ...content });
  if (entry === "left" || schema === null || entry.outcome?.status !== "completed") {
    return entry === "left" ? "left" : { entry, form: null };
  }
  const form = schema.read(entry.result ?? "");
  if (form.status === "fits" || interrupts.wasInterrupted()) return { entry, form };
  lines.note(`the answer does not fit: ${form.problems.join("; ")}; asking once more`);
  // The id follows from the first, so that sending both again is sending them once (P3).
  const again = {
    promptId: `${promptId}:again`,
    text: schema.again(form.problems),
    attachments: [],
  };
  const second = await perform(parts, again);
  if (second === "left" || second.outcome?.status !== "completed") {
    return second === "left" ? "left" : { entry: second, form: null };
  }
  return { entry: second, form: schema.read(second.result ?? "") };
}

/** Sends one prompt; its entry once it is settled, or held for a person. */
async function perform(
  { client, session, sending, screen, interrupts, sent }: Parts,
  prompt: PromptWords & { promptId: string },
): Promise<Prompt | "left"> {
  const { delivery, lines, agent, model } = sending;
  const { promptId, text, attachments } = prompt;
  // With a form to keep to, the words are more than a command.
  const command = sending.schema === null ? (readSlashCommand(text) ?? undefined) : undefined;
  const { budget: cost, onBudget } = sending;
  const limited = cost === undefined ? {} : { budget: { cost }, onBudget };
  const named = { delivery, agent, model, command, ...limited };
  screen.sends(promptId);
  sent.isAccepted = false;
  const words = command === undefined ? text : "";
  // A server may keep this waiting; in this process an accept takes no time, and is not cut short.
  const signal = client.url === null ? undefined : interrupts.leaving;
  const accepting = session.prompt(words, { promptId, attachments, signal, ...named });
  const accepted = await (signal === undefined
    ? accepting
    : Promise.race([accepting, interrupts.left]));
  if (accepted === "left") return "left";
  const { entry } = accepted;
  sent.isAccepted = true;
  // A key that is sent to a model is no secret any more, however it got into the prompt.
  if (entry.text?.includes(masked) === true && !text.includes(masked)) {
    lines.say(`a configured key in the prompt was replaced by ${masked}`);
  }
  interrupts.promptAccepted(entry);
  const settled = screen.watch.until(() => settledOrHeld(session, promptId));
  return Promise.race([settled, interrupts.left]);
}

const masked = "[secret]";

async function openSession(
  { client, known, sessionId }: OpenedRun,
  target: { directory: string; store: string },
): Promise<SessionDetail> {
  const { directory, store } = target;
  const { sessions } = client.holdfast;
  if (known === null) return (await sessions.create({ sessionId, directory })).get();
  const advice = "leave --session out to start a new one, ";
  const session = client.holdfast.session(sessionId);
  const detail = await expectSession(session, { url: client.url, store, advice });
  if (client.url !== null || existsSync(detail.directory)) return detail;
  const problem = `the session works in ${detail.directory}, which is not there any more`;
  throw new CliError("directory", `${problem}; put it back, or start a new session`);
}

/** The server was lost for longer than anybody waits: what that means for the prompt. */
function lostServer(
  error: unknown,
  { session, sending, sent }: Pick<Parts, "session" | "sending" | "sent">,
): unknown {
  if (!(error instanceof HoldfastError) || !error.retryable) return error;
  const { sessionId } = session;
  const { promptId } = sending;
  const fate = sent.isAccepted
    ? `prompt ${promptId} is kept there, and \`holdfast prompts${placeWords(sending)} --session ${sessionId}\` tells its outcome later`
    : unansweredFate(sessionId, promptId);
  return new CliError(error.code, `${error.message}; ${fate}`, exitCodes.unreachable);
}

function unansweredFate(sessionId: string, promptId: string): string {
  const words = `--session ${sessionId} --prompt-id ${promptId}`;
  return `whether the prompt has arrived is not known: sent again with ${words} it is one prompt`;
}
