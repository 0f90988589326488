import type { Holdfast, Message, Session } from "@holdfast/sdk";
import { z } from "zod";
import { promptResult, readTask, taskIdOf } from "./task.ts";
import type { TaskTarget } from "./task.ts";

/** A tool that other agents call. It uses only the HTTP API, which checks the caller's permissions. */
export interface SessionTool {
  readonly name: string;
  readonly title: string;
  /** Text for the model: what the tool does, with an example. */
  readonly description: string;
  readonly input: z.ZodType;
  readonly readOnly: boolean;
  /** Throws if the input does not match the schema, or if the server refuses the request. */
  call(holdfast: Holdfast, input: unknown, signal: AbortSignal): Promise<ToolAnswer>;
}

export function defineTool<Input>(
  tool: Omit<SessionTool, "input" | "call"> & {
    readonly input: z.ZodType<Input>;
    readonly run: (holdfast: Holdfast, input: Input, signal: AbortSignal) => Promise<ToolAnswer>;
  },
): SessionTool {
  const { run, ...rest } = tool;
  return {
    ...rest,
    call: (holdfast, input, signal) => run(holdfast, tool.input.parse(input), signal),
  };
}

export interface ToolAnswer {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

const sessionId = z.string().min(1).describe("Id of the session.");
const promptId = z.string().min(1).describe("Id of the prompt.");
const wait = z
  .number()
  .min(0)
  .max(55)
  .optional()
  .describe("Seconds to wait for the outcome. Default: 0.");

export const sendInput = z.object({
  text: z.string().min(1).max(1_000_000).describe("The prompt."),
  sessionId: sessionId
    .optional()
    .describe("Session to use. Default: a new session in `directory`."),
  directory: z.string().optional().describe("Absolute path of the project, for a new session."),
  promptId: promptId
    .optional()
    .describe("Id of your choice. The same id with the same text is the same prompt."),
  delivery: z
    .enum(["queue", "steer", "interrupt"])
    .optional()
    .describe(
      "If the session is busy: `queue` waits, `steer` joins the active run, `interrupt` stops it first. Default: queue.",
    ),
  agent: z.string().optional(),
  model: z.string().optional().describe("Model as provider/model."),
  wait,
});

export type SendInput = z.infer<typeof sendInput>;

/** Sends a prompt. When this resolves, the prompt is stored and cannot be lost. */
export async function sendPrompt(
  holdfast: Holdfast,
  input: SendInput,
  signal: AbortSignal,
): Promise<TaskTarget> {
  const { text, sessionId: known, directory, promptId: chosen, delivery, agent, model } = input;
  const options = { promptId: chosen, delivery, agent, model };
  if (known === undefined && directory === undefined) {
    throw new Error('set "sessionId" to use a session, or "directory" to create one');
  }
  const session =
    known === undefined
      ? await holdfast.sessions.create({ directory: directory ?? "", signal })
      : holdfast.session(known);
  const { sessionId: used } = session;
  const prompt = await session.prompt(text, { ...options, signal });
  return { sessionId: used, promptId: prompt.promptId };
}

export const sendPromptTool = defineTool({
  name: "send_prompt",
  title: "Send a prompt",
  description:
    "Sends a prompt to a coding-agent session. The prompt is stored before this tool returns, and runs until it " +
    "has an outcome, even if the server restarts. Call this tool as a task to follow the outcome, or read the outcome " +
    'later with get_prompt. Example: {"directory": "/srv/project", "text": "Fix the failing test in parser.test.ts", "wait": 30}',
  input: sendInput,
  readOnly: false,
  run: async (holdfast, input, signal) =>
    answerOf(holdfast, await sendPrompt(holdfast, input, signal), {
      wait: input.wait ?? 0,
      signal,
    }),
});

export const getPromptTool = defineTool({
  name: "get_prompt",
  title: "Get a prompt",
  description:
    "Returns the state of a prompt, its outcome, and the open questions and permission requests of its run. " +
    'Example: {"sessionId": "session-4f2a", "promptId": "prompt-91c0", "wait": 20}',
  input: z.object({ sessionId, promptId, wait }),
  readOnly: true,
  run: (holdfast, { wait: seconds = 0, ...target }, signal) =>
    answerOf(holdfast, target, { wait: seconds, signal }),
});

async function answerOf(
  holdfast: Holdfast,
  target: TaskTarget,
  options: { wait: number; signal: AbortSignal },
): Promise<ToolAnswer> {
  const { wait: seconds, signal } = options;
  if (seconds > 0) await waitFor(holdfast, target, { seconds, signal });
  const { prompt, asks } = await readTask(holdfast, target, { signal });
  const { structuredContent, content, isError } = promptResult(prompt);
  const openAsks = asks.map(({ askId, question }) => ({ askId, question }));
  // Many clients show only the text to their model, which needs the ids for the other tools.
  const { sessionId, promptId } = target;
  const ids = { type: "text" as const, text: JSON.stringify({ sessionId, promptId, openAsks }) };
  return {
    content: [...content, ids],
    structuredContent: { ...structuredContent, openAsks },
    isError,
  };
}

/** Waits until the prompt has an outcome, but no longer than the given time. */
async function waitFor(
  holdfast: Holdfast,
  { sessionId: session, promptId: prompt }: TaskTarget,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
): Promise<void> {
  const end = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1_000)]);
  await holdfast
    .session(session)
    .promptById(prompt)
    .settled({ signal: end })
    .catch((error: unknown) => {
      if (!end.aborted || signal.aborted) throw error;
    });
}

const cancelPromptTool = defineTool({
  name: "cancel_prompt",
  title: "Cancel a prompt",
  description:
    "Cancels one prompt: removes it from the queue, or stops the run that it started. Returns a receipt that lists " +
    'exactly the prompts that were affected. Example: {"sessionId": "session-4f2a", "promptId": "prompt-91c0"}',
  input: z.object({ sessionId, promptId }),
  readOnly: false,
  run: async (holdfast, target, signal) => {
    const prompt = holdfast.session(target.sessionId).promptById(target.promptId);
    const receipt = await prompt.withdraw({ signal });
    return jsonAnswer({ taskId: taskIdOf(target), receipt });
  },
});

const listSessionsTool = defineTool({
  name: "list_sessions",
  title: "List sessions",
  description: 'Lists sessions, latest activity first. Example: {"limit": 10}',
  input: z.object({
    directory: z.string().optional(),
    limit: z.number().int().min(1).max(100).optional(),
  }),
  readOnly: true,
  run: async (holdfast, { directory, limit = 20 }, signal) => {
    const filter = directory === undefined ? {} : { directory };
    const { items } = await holdfast.sessions.list({ ...filter, limit, signal });
    return jsonAnswer({ sessions: items.map(sessionLine) });
  },
});

function sessionLine(session: Session) {
  const { sessionId: id, title, directory, status, queued, openAsks, updatedAt } = session;
  return { sessionId: id, title, directory, status, queued, openAsks, updatedAt };
}

const readSessionTool = defineTool({
  name: "read_session",
  title: "Read a session",
  description:
    "Returns the state of a session and its last messages. " +
    'Example: {"sessionId": "session-4f2a", "limit": 5}',
  input: z.object({
    sessionId,
    limit: z.number().int().min(1).max(50).optional().describe("Number of messages. Default: 10."),
  }),
  readOnly: true,
  run: async (holdfast, { sessionId: id, limit = 10 }, signal) => {
    const session = holdfast.session(id);
    const detail = await session.get({ signal });
    const messages: Message[] = [];
    for await (const message of session.eachMessage({ signal })) {
      messages.push(message);
      if (messages.length > limit) messages.shift();
    }
    return jsonAnswer({ session: sessionLine(detail), messages: messages.map(messageLine) });
  },
});

const maxMessage = 4_000;

function messageLine(message: Message) {
  const text = message.role === "tool" ? message.output : message.text;
  return { role: message.role, text: text.slice(0, maxMessage), at: message.at };
}

const listAttentionTool = defineTool({
  name: "list_attention",
  title: "List open requests and paused sessions",
  description: "Lists open permission requests and questions, and paused sessions. Example: {}",
  input: z.object({}),
  readOnly: true,
  run: async (holdfast, _, signal) => {
    const { items: asks } = await holdfast.asks({ limit: 100, signal });
    const { items: sessions } = await holdfast.sessions.list({ limit: 100, signal });
    return jsonAnswer({
      asks: asks.map(({ sessionId: session, askId, question, openedAt, expiresAt }) => ({
        sessionId: session,
        askId,
        question,
        openedAt,
        expiresAt,
      })),
      paused: sessions
        .filter(({ holds }) => holds.length > 0)
        .map((session) => ({ ...sessionLine(session), holds: session.holds })),
    });
  },
});

const answerAskTool = defineTool({
  name: "answer_ask",
  title: "Answer a question or permission request",
  description:
    "Answers an open question or permission request of a session. The first answer counts. Requires a token with the role " +
    'prompt. Example: {"sessionId": "session-4f2a", "askId": "call_81:permission", "verdict": "deny", "text": "Use git mv"}',
  input: z.object({
    sessionId,
    askId: z.string().min(1).describe("Id of the ask."),
    verdict: z.enum(["allow", "deny"]),
    text: z.string().max(100_000).optional().describe("The answer, or the reason for a denial."),
  }),
  readOnly: false,
  run: async (holdfast, { sessionId: session, askId, verdict, text }, signal) => {
    const said = text === undefined ? {} : { text };
    const ask = await holdfast.session(session).answer(askId, { verdict, ...said, signal });
    return jsonAnswer({ sessionId: session, askId, closed: ask.closed });
  },
});

function jsonAnswer(structuredContent: Record<string, unknown>): ToolAnswer {
  return {
    content: [{ type: "text", text: JSON.stringify(structuredContent, null, 2) }],
    structuredContent,
  };
}

/** All tools. A call whose input does not match the schema is rejected before `run`. */
export const sessionTools: readonly SessionTool[] = [
  sendPromptTool,
  getPromptTool,
  cancelPromptTool,
  listSessionsTool,
  readSessionTool,
  listAttentionTool,
  answerAskTool,
];
