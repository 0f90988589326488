import { createHash, randomUUID } from "node:crypto";
import { HoldfastError } from "@holdfast/sdk";
import type { Delivery, Effort, Prompt, SessionHandle, SessionMode } from "@holdfast/sdk";
import { readAnswerSchema } from "../answer-schema/answer-schema.ts";
import type { AnswerSchema, AnswerValue } from "../answer-schema/answer-schema.ts";
import { CliError, exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { folderOf, isElsewhere, placeOf, placeWords } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { noteSilence } from "../../compose/silent-server.ts";
import { printOutcome, printHeader } from "./print-outcome.ts";
import { describeError } from "../describe-error.ts";
import { releaseHolds } from "./holds.ts";
import { createLines } from "../terminal/lines.ts";
import type { Lines } from "../terminal/lines.ts";
import { idleFamily, settledOrHeld } from "./outcome.ts";
import { showNotices } from "../terminal/notice.ts";
import { promptContent, readSlashCommand } from "./prompt-content.ts";
import type { PromptWords } from "./prompt-content.ts";
import { createSession, knownSession, offerProviders, openRun } from "./run-client.ts";
import type { RunClient } from "./run-client.ts";
import { shortId } from "../ids.ts";
import { openScreen } from "../terminal/screen.ts";
import type { Screen } from "../terminal/screen.ts";
import { terminalInput } from "../terminal/person.ts";
import { expectModel, isForHostedAgent } from "./model-check.ts";
import { createQueuePosition } from "./queue-position.ts";
import { listenForInterrupts } from "./interrupts.ts";
import type { Interrupts } from "./interrupts.ts";
import { askStopOrDetach } from "./stop-or-detach.ts";

export interface RunInput extends ClientOptions {
  /** Undefined or `-`: read from stdin. */
  readonly text: string | undefined;
  readonly directory: string;
  readonly session?: string;
  readonly continue?: true;
  readonly model?: string;
  readonly agentMode?: string;
  readonly agent?: string;
  /** Agent for a session that has none, from the environment. */
  readonly usualAgent?: string;
  /** Permission mode to set; undefined: the mode of the session stays. */
  readonly mode?: SessionMode;
  readonly effort?: Effort;
  readonly thinking?: boolean;
  readonly file: readonly string[];
  readonly promptId?: string;
  readonly delivery: Delivery;
  /** Maximum cost of the prompt in US dollars. */
  readonly budget?: number;
  readonly onBudget: "fail" | "ask";
  readonly timeout?: number;
  readonly patience: number;
  /** Exit after the prompt was sent. */
  readonly detach?: true;
  /** False: do not attach stdin to a prompt that is given on the command line. */
  readonly stdin: boolean;
  readonly schema?: string;
  readonly release?: true;
  readonly yes?: true;
  readonly quiet?: true;
  readonly json?: true;
}

/** `holdfast run`: sends a prompt to a server if there is one. Otherwise runs the prompt in this process. */
export async function runPrompt(input: RunInput): Promise<ExitCode> {
  // Check all input before anything is opened or sent.
  const directory = folderOf(input, input.directory);
  const schema = input.schema === undefined ? null : readAnswerSchema(input.schema);
  const isQuiet = input.quiet === true || input.json === true;
  const words = await promptContent({
    text: input.text,
    files: input.file,
    stdin: input.stdin,
    isOptional: (input.continue === true || input.session !== undefined) && schema === null,
    say: (line) => (isQuiet ? undefined : console.error(line)),
  });
  const content =
    words === null || schema === null ? words : { ...words, text: schema.prompt(words.text) };
  const lines = createLines({ answers: !isQuiet && schema === null, notes: !isQuiet });
  const onError = (error: unknown): void => lines.say(describeError(error).line);
  const { promptId = `prompt-${randomUUID()}` } = input;
  const newSessionId = sessionIdFor(directory, promptId);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => lines.close());
  lines.waiting("connecting");
  const opening = openRun({ ...input, directory }, { newSessionId, lines, onError });
  const opened = await noteSilence({ ...placeOf(input), note: lines.say }, opening);
  const client = stack.use(opened.client);
  const leaving = new AbortController();
  let notices: Promise<void> | null = null;
  stack.defer(async () => {
    leaving.abort();
    await notices;
  });
  const known = opened.known === null ? null : await knownSession(opened, input);
  const { usualAgent } = input;
  const agent = input.agent ?? known?.agent ?? usualAgent ?? null;
  // A prompt that was sent before keeps its model.
  const model =
    content === null ? undefined : await expectModel(client, { ...input, directory, agent });
  const detail = known ?? (await createSession(opened, { directory, agent }));
  const session = client.holdfast.session(opened.sessionId);
  if (input.mode !== undefined) await session.setMode(input.mode);
  await offerProviders(client, { ...input, sessionId: opened.sessionId });
  if (!isQuiet) {
    const isNew = known === null;
    await printHeader(client, { ...input, session: detail, isNew, model, lines });
    const { signal } = leaving;
    const usesDefaultModel = input.model === undefined && model !== null;
    notices = showNotices(client.holdfast, { ...detail, lines, signal, usesDefaultModel });
  }
  const what =
    content === null
      ? { content, promptId: await unfinishedPrompt(session), release: true as const }
      : { content, promptId };
  // If the session has an agent, the prompt does not name the usual one. Then it is the same prompt when it is sent
  // again, to the new session or with --session (P3).
  const named = input.agent ?? (detail.agent === null ? usualAgent : undefined);
  const sending = {
    ...input,
    ...what,
    agent: named,
    sessionAgent: detail.agent,
    schema,
    lines,
    onError,
  };
  const exitCode = await send({ client, session, sending });
  // The run has loaded the config, so the notices are available now. Wait until they are printed.
  if (exitCode === exitCodes.ok) await notices;
  return exitCode;
}

/** Derives a session id from the prompt's id, so that a prompt that is sent twice uses one new session (P3). */
function sessionIdFor(directory: string, promptId: string): string {
  const key = JSON.stringify([directory, promptId]);
  const hash = createHash("sha256").update(key).digest("hex");
  return `session-${hash.slice(0, 32)}`;
}

/** Returns the id of the prompt that `holdfast run` without a text continues. */
async function unfinishedPrompt(session: SessionHandle): Promise<string> {
  const { active, queue, sessionId } = await session.get();
  if (active?.kind === "run") return active.prompts.at(-1) ?? active.startedBy;
  const next = queue.find((item) => item.kind === "prompt");
  if (next !== undefined) return next.promptId;
  const advice = 'write a prompt: holdfast run --continue "..."';
  const problem = `the session ${shortId(sessionId)} has nothing to continue`;
  throw new CliError("prompt", `${problem}; ${advice}`, exitCodes.usage);
}

type Sending = Omit<RunInput, "text" | "schema" | "agent"> & {
  /** Agent that the prompt names; undefined: the agent of the session. */
  readonly agent: string | undefined;
  /** Null: the prompt was sent by an earlier command and is continued here. */
  readonly content: PromptWords | null;
  readonly schema: AnswerSchema | null;
  readonly promptId: string;
  /** Agent of the session; null: the default agent of its directory. */
  readonly sessionAgent: string | null;
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
    if (sending.detach === true)
      return await sendAndLeave({ client, session, sending, interrupts, sent });
    const screen = await openScreen(client.holdfast, {
      ...sending,
      sessionId,
      isShared,
      isJson: sending.json === true,
      continued: sending.content === null ? sending.promptId : null,
      allowsAll: sending.yes === true,
      onGone: interrupts.leave,
    });
    try {
      if (sending.release === true) await releaseHolds(session);
      if (isShared && !sending.json && terminalInput() !== null) {
        interrupts.askWith({
          ask: (signal) => askStopOrDetach(sending.lines, signal),
          inTurn: (work) => screen.before(work),
        });
      }
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

/** State of the prompt, for the error message if the server becomes unreachable. */
interface Sent {
  isAccepted: boolean;
}

interface RunState extends Target {
  readonly screen: Screen;
  readonly interrupts: Interrupts;
  readonly sent: Sent;
}

/** Waits until the prompt is settled or the user leaves, and prints the result. */
async function finish(run: RunState): Promise<ExitCode> {
  const { client, session, sending, screen, interrupts } = run;
  const leaving = (): ExitCode => exitCodeOf(interrupts);
  const answer = await askForAnswer(run);
  if (answer === "left") return leaving();
  await interrupts.endQuestion();
  const { entry, form } = answer;
  // Without a server, wait for the remaining work, such as background tasks, unless the user pressed Ctrl-C.
  if (entry.status === "settled" && client.url === null && !interrupts.wasInterrupted()) {
    interrupts.promptSettled();
    const idle = screen.watch.until(() => idleFamily(session, screen.watch));
    if ((await Promise.race([idle, interrupts.left])) === "left") return leaving();
  }
  await screen.watch.caughtUp();
  // Background tasks can wait for an answer. Their questions must not appear again after each line of the outcome.
  await screen.endQuestions();
  const receipt = await interrupts.receipt();
  const isShown = sending.quiet !== true && screen.hasShownEnd(entry.promptId);
  const usage = screen.view.usage();
  await printOutcome(session, { ...sending, entry, form, receipt, isShown, usage });
  if (entry.outcome?.status === "completed" && form?.status !== "unfit") return exitCodes.ok;
  return interrupts.wasInterrupted() ? exitCodes.interrupted : exitCodes.failure;
}

/** Returns the exit code of a command that leaves before the outcome is known. */
function exitCodeOf(interrupts: Interrupts): ExitCode {
  if (interrupts.wasDetached()) return exitCodes.ok;
  if (interrupts.wasLate()) return exitCodes.failure;
  return interrupts.wasInterrupted() ? exitCodes.interrupted : exitCodes.terminated;
}

interface Answered {
  readonly entry: Prompt;
  /** Result of checking the answer against the schema; null without a schema. */
  readonly form: AnswerValue | null;
}

/** Sends the prompt, and a second one if the answer does not match the schema. */
async function askForAnswer(run: RunState): Promise<Answered | "left"> {
  const { sending, interrupts } = run;
  const { schema, lines, content, promptId } = sending;
  const entry = await (content === null
    ? follow(run, await run.session.promptById(promptId).get())
    : perform(run, { promptId, ...content }));
  if (entry === "left" || schema === null || entry.outcome?.status !== "completed") {
    return entry === "left" ? "left" : { entry, form: null };
  }
  const form = schema.read(entry.result ?? "");
  if (form.status === "fits" || interrupts.wasInterrupted()) return { entry, form };
  lines.note(`the answer does not match the schema: ${form.problems.join("; ")}; asking again`);
  // Derive the second id from the first. If the command is repeated with the same first id, the server knows both
  // prompts and runs neither of them again (P3).
  const again = {
    promptId: `${promptId}:again`,
    text: schema.again(form.problems),
    attachments: [],
  };
  const second = await perform(run, again);
  if (second === "left" || second.outcome?.status !== "completed") {
    return second === "left" ? "left" : { entry: second, form: null };
  }
  return { entry: second, form: schema.read(second.result ?? "") };
}

/** Sends one prompt; returns its entry once it is settled or waits for a person. */
async function perform(
  run: RunState,
  prompt: PromptWords & { promptId: string },
): Promise<Prompt | "left"> {
  run.screen.sends(prompt.promptId);
  const entry = await accept(run, prompt);
  return entry === "left" ? "left" : follow(run, entry);
}

/** Sends one prompt; returns its entry once the server has stored it. */
async function accept(
  { client, session, sending, interrupts, sent }: Omit<RunState, "screen">,
  prompt: PromptWords & { promptId: string },
): Promise<Prompt | "left"> {
  const { delivery, lines, agent, effort, thinking } = sending;
  const { model = await environmentModel(client, sending), agentMode } = sending;
  const { promptId, text, attachments } = prompt;
  // With a schema, a request for JSON is added to the text, so the text is not a slash command.
  const command = sending.schema === null ? (readSlashCommand(text) ?? undefined) : undefined;
  const { budget: cost, onBudget } = sending;
  const limited = cost === undefined ? {} : { budget: { cost }, onBudget };
  const named = { delivery, agent, model, agentMode, effort, thinking, command, ...limited };
  sent.isAccepted = false;
  const words = command === undefined ? text : "";
  // A server may take long to accept a prompt, so Ctrl-C interrupts the request. Without a server, accepting is fast
  // and is not interrupted.
  const signal = client.url === null ? undefined : interrupts.leaving;
  const accepting = session.prompt(words, { promptId, attachments, signal, ...named });
  const accepted = await (signal === undefined
    ? accepting
    : Promise.race([accepting, interrupts.left]));
  if (accepted === "left") return "left";
  const { entry } = accepted;
  sent.isAccepted = true;
  // Tell the user if Holdfast replaced a configured key in the prompt, because the key must not reach a model.
  if (entry.text?.includes(masked) === true && !text.includes(masked)) {
    lines.say(`a configured key in the prompt was replaced by ${masked}`);
  }
  return entry;
}

/** Waits until a prompt is settled or waits for a person. Prints its position in the queue. */
async function follow(run: RunState, { promptId, ...entry }: Prompt): Promise<Prompt | "left"> {
  const { session, sending, screen, interrupts, sent } = run;
  sent.isAccepted = true;
  interrupts.promptAccepted({ ...entry, promptId });
  const position = createQueuePosition(session, { promptId, lines: sending.lines });
  const settled = screen.watch.until(async () => {
    const found = await settledOrHeld(session, promptId);
    if (found === null) await position.update();
    return found;
  });
  return Promise.race([settled, interrupts.left]);
}

/** `--detach`: sends the prompt and prints its id. */
async function sendAndLeave(run: Omit<RunState, "screen">): Promise<ExitCode> {
  const { session, sending } = run;
  const { content, promptId, lines } = sending;
  const { sessionId } = session;
  const entry = content === null ? promptId : await accept(run, { promptId, ...content });
  if (entry === "left") return exitCodeOf(run.interrupts);
  console.log(sending.json === true ? JSON.stringify({ sessionId, promptId }) : promptId);
  lines.note(
    `the server continues; to follow it: holdfast attach${placeWords(sending)} ${shortId(sessionId)}`,
  );
  return exitCodes.ok;
}

/**
 * Returns the model in HOLDFAST_MODEL, because a local server does not know the environment of this command. Undefined
 * for an external (hosted) agent, which has its own models.
 */
async function environmentModel(
  client: RunClient,
  sending: Pick<Sending, keyof ClientOptions | "directory" | "agent" | "sessionAgent">,
): Promise<string | undefined> {
  const named = process.env["HOLDFAST_MODEL"]?.trim() ?? "";
  if (client.url === null || named === "" || isElsewhere(sending)) return undefined;
  const { directory, agent = sending.sessionAgent } = sending;
  return (await isForHostedAgent(client, { directory, agent })) ? undefined : named;
}

const masked = "[secret]";

/** If the error means that the server is unreachable, adds to its message whether the prompt was accepted. */
function lostServer(
  error: unknown,
  { session, sending, sent }: Pick<RunState, "session" | "sending" | "sent">,
): unknown {
  if (!(error instanceof HoldfastError) || !error.retryable) return error;
  const { sessionId } = session;
  const { promptId } = sending;
  const fate = sent.isAccepted
    ? `the server has stored prompt ${shortId(promptId)}; to see its outcome, run: holdfast prompts${placeWords(sending)} --session ${shortId(sessionId)}`
    : unansweredFate(sessionId, promptId);
  return new CliError(error.code, `${error.message}; ${fate}`, exitCodes.unreachable);
}

function unansweredFate(sessionId: string, promptId: string): string {
  const words = `--session ${sessionId} --prompt-id ${promptId}`;
  return `the prompt may or may not have arrived; to send it again safely, add ${words}`;
}
