import type { Holdfast, Receipt } from "@holdfast/sdk";
import { HoldfastError, Refused } from "@holdfast/sdk";
import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { z } from "zod";
import { agentTaskTool } from "./agent-task.ts";
import type { TaskPort } from "./agent-task.ts";
import { answerFrom } from "./ask-input.ts";
import { createdTask, detailedTask, legacyTask, promptResult, readTask, targetOf } from "./task.ts";
import type { TaskTarget } from "./task.ts";
import { getPromptTool, sendInput, sendPrompt, sendPromptTool, sessionTools } from "./tools.ts";
import type { SessionTool, ToolAnswer } from "./tools.ts";

/** Name of the protocol extension for tasks in MCP revision 2026-07-28. */
const tasksExtension = "io.modelcontextprotocol/tasks";

const instructions =
  "Holdfast runs coding-agent sessions. Send work with send_prompt: the prompt is stored first, and gets an outcome even if " +
  "the server restarts. A run may wait for a person; list_attention lists the open requests.";

const agentInstructions =
  "Holdfast runs this agent. Give work to another agent with task: its changes and requests appear in the same session " +
  "tree, and cancelling this run also cancels the task.";

/**
 * Creates an MCP server through which other agents use sessions. Every tool calls the Holdfast API through the SDK
 * client, so the API's checks of tokens, roles and directories apply.
 */
export function createSessionServer(
  holdfast: Holdfast,
  options: {
    readonly version: string;
    readonly era: "legacy" | "modern";
    /**
     * Starts tasks for the hosted agent that uses the server. Missing: the client is not a hosted agent, and gets all
     * tools.
     */
    readonly tasks?: TaskPort | undefined;
  },
): Server {
  const { version, era, tasks } = options;
  const tools = tasks === undefined ? sessionTools : [agentTaskTool(tasks), getPromptTool];
  const server = new Server(
    { name: "holdfast", version },
    {
      instructions: tasks === undefined ? instructions : agentInstructions,
      capabilities: {
        tools: {},
        ...(era === "legacy"
          ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
          : { extensions: { [tasksExtension]: {} } }),
      },
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools: tools.map(listedTool(era)) }));
  // Handle tool calls in the fallback handler: in a handler for `tools/call`, the SDK would convert a created task
  // into a tool result.
  server.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    if (method !== "tools/call")
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
    const call = callSchema.parse(params);
    const wantsTask = era === "modern" ? hasTasks(server, mcpReq) : call.task !== undefined;
    return callTool(holdfast, call, { tools, era, wantsTask, signal: mcpReq.signal });
  };
  if (era === "legacy") serveLegacyTasks(server, holdfast);
  else serveTasks(server, holdfast);
  return server;
}

const callSchema = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  task: z.object({}).optional(),
});

const objectSchema = z.looseObject({
  type: z.literal("object"),
  properties: z.record(z.string(), z.json()).optional(),
});

function listedTool(era: "legacy" | "modern") {
  return (tool: (typeof sessionTools)[number]) => {
    const taskSupport = { execution: { taskSupport: "optional" as const } };
    return {
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: objectSchema.parse(z.toJSONSchema(tool.input)),
      annotations: { readOnlyHint: tool.readOnly },
      ...(era === "legacy" && tool === sendPromptTool ? taskSupport : {}),
    };
  };
}

async function callTool(
  holdfast: Holdfast,
  call: z.infer<typeof callSchema>,
  options: {
    tools: readonly SessionTool[];
    era: "legacy" | "modern";
    wantsTask: boolean;
    signal: AbortSignal;
  },
) {
  const { tools, era, wantsTask, signal } = options;
  const { name, arguments: input = {} } = call;
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${name}`);
  }
  try {
    if (!wantsTask || tool !== sendPromptTool)
      return { ...(await tool.call(holdfast, input, signal)) };
    const target = await sendPrompt(holdfast, sendInput.parse(input), signal);
    const task = await readTask(holdfast, target, { signal });
    return era === "legacy"
      ? { task: legacyTask(task) }
      : { resultType: "task", ...createdTask(task), status: task.status };
  } catch (error) {
    return { ...failedCall(error) };
  }
}

/** Converts an error to a tool result, so that the model of the calling agent can read the reason. */
function failedCall(error: unknown): ToolAnswer {
  const isExpected = error instanceof HoldfastError || error instanceof z.ZodError;
  const text = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
  const code = error instanceof HoldfastError ? error.code : isExpected ? "invalid" : "failed";
  return { content: [{ type: "text", text }], structuredContent: { code }, isError: true };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const taskParams = z.object({ taskId: z.string() });
const updateSchema = z.object({ inputResponses: z.record(z.string(), z.unknown()) });

/**
 * Serves tasks as the extension of MCP revision 2026-07-28 defines them. Clients poll, so they can reconnect at any
 * time.
 */
function serveTasks(server: Server, holdfast: Holdfast): void {
  server.setRequestHandler("tasks/get", { params: taskParams }, async ({ taskId }, { mcpReq }) =>
    known(async () =>
      detailedTask(await readTask(holdfast, expectTarget(taskId), { signal: mcpReq.signal })),
    ),
  );
  server.setRequestHandler("tasks/update", { params: taskParams }, async ({ taskId }, { mcpReq }) =>
    known(async () => {
      const { signal } = mcpReq;
      // The SDK removes `inputResponses` from the parameters and puts it into the request context.
      const { inputResponses } = updateSchema.parse(mcpReq);
      const target = expectTarget(taskId);
      const { asks } = await readTask(holdfast, target, { signal });
      for (const ask of asks) {
        const response = inputResponses[ask.askId];
        const answer = response === undefined ? null : answerFrom(ask, response);
        if (answer === null) continue;
        await holdfast.session(target.sessionId).answer(ask.askId, { ...answer, signal });
      }
      return {};
    }),
  );
  server.setRequestHandler("tasks/cancel", { params: taskParams }, async ({ taskId }, { mcpReq }) =>
    known(async () => cancelledWith(await cancel(holdfast, expectTarget(taskId), mcpReq.signal))),
  );
}

/** Serves tasks as MCP revision 2025-11-25 defines them. */
function serveLegacyTasks(server: Server, holdfast: Holdfast): void {
  const read = (taskId: string, signal: AbortSignal) =>
    known(() => readTask(holdfast, expectTarget(taskId), { signal }));
  server.setRequestHandler("tasks/get", { params: taskParams }, async ({ taskId }, { mcpReq }) => ({
    ...legacyTask(await read(taskId, mcpReq.signal)),
  }));
  server.setRequestHandler(
    "tasks/result",
    { params: taskParams },
    async ({ taskId }, { mcpReq }) => {
      const { sessionId, promptId } = expectTarget(taskId);
      const { signal } = mcpReq;
      const prompt = holdfast.session(sessionId).promptById(promptId);
      const { entry } = await known(() => prompt.settled({ signal }));
      const related = { "io.modelcontextprotocol/related-task": { taskId } };
      return { ...promptResult(entry), _meta: related };
    },
  );
  server.setRequestHandler(
    "tasks/cancel",
    { params: taskParams },
    async ({ taskId }, { mcpReq }) => {
      const receipt = await known(() => cancel(holdfast, expectTarget(taskId), mcpReq.signal));
      return { ...legacyTask(await read(taskId, mcpReq.signal)), ...cancelledWith(receipt) };
    },
  );
  // List no tasks, because they may belong to other clients. The tool list_sessions lists the sessions that the token
  // may see.
  server.setRequestHandler("tasks/list", { params: z.object({}) }, () => ({ tasks: [] }));
}

/** Returns response metadata with the receipt of a cancel, which lists the affected prompts. */
function cancelledWith(receipt: Receipt) {
  return { _meta: { "holdfast/receipt": receipt } };
}

function cancel(
  holdfast: Holdfast,
  { sessionId, promptId }: TaskTarget,
  signal: AbortSignal,
): Promise<Receipt> {
  return holdfast.session(sessionId).promptById(promptId).withdraw({ signal });
}

function expectTarget(taskId: string): TaskTarget {
  const target = targetOf(taskId);
  if (target === null) throw unknownTask(`${taskId} is not a task id`);
  return target;
}

function unknownTask(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** Runs the work, and converts refused or invalid requests to protocol errors. */
async function known<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused || error instanceof z.ZodError)
      throw unknownTask(messageOf(error));
    throw error;
  }
}

/** True if the client declares the tasks extension. Only then may the server create a task. */
function hasTasks(server: Server, request: object): boolean {
  const { envelope } = z
    .object({ envelope: z.unknown() })
    .catch({ envelope: undefined })
    .parse(request);
  const declared = JSON.stringify([server.getClientCapabilities() ?? null, envelope ?? null]);
  return declared.includes(`"${tasksExtension}"`);
}
