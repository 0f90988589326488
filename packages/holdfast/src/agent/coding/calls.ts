import { z } from "zod";
import type { AgentContext, Fact } from "../agent.ts";
import { merge } from "../merge.ts";
import { mergeWishes } from "../model/reasoning.ts";
import type { HookCall, ToolHooks } from "../setup.ts";
import type {
  PermissionRequest,
  Tool,
  ToolContext,
  ToolResult,
  ToolSettings,
  TouchedFile,
} from "../tools/tool.ts";
import { limitSettings } from "./limit-settings.ts";
import { describeAction, permitCall } from "./permit.ts";
import type { Permissions } from "./policy.ts";
import { createProgress } from "./progress.ts";
import { readInput } from "./read-input.ts";
import type { Sampler } from "./sampling.ts";
import type { StepCall } from "./step.ts";

export interface CallServices {
  readonly context: AgentContext;
  readonly tools: readonly Tool[];
  readonly settings: ToolSettings;
  readonly permissions: Permissions;
  readonly hooks: ToolHooks;
  /** Calls the model for tools that need it. Missing: tools cannot call the model. */
  readonly sampler?: Sampler;
  /** Content hash of each file as the session last saw it. Tool calls update this map. */
  readonly seen: Map<string, string>;
}

/** A call to execute. After a crash, `gate` contains the state of the call's permission request. */
export interface Call extends StepCall {
  readonly gate?: "open" | "asking" | "denied";
}

/** Maximum number of calls that run in parallel. One answer may contain a thousand calls. */
const maxParallel = 8;

/** Executes the calls of an answer in order. Consecutive calls run in parallel if their tools allow parallel calls. */
export async function* runCalls(
  services: CallServices,
  calls: readonly Call[],
): AsyncGenerator<Fact> {
  for (const group of groups(services, calls)) {
    const waiting = group.values();
    const workers = Array.from({ length: Math.min(maxParallel, group.length) }, () =>
      runInTurn(services, waiting),
    );
    yield* merge(workers);
  }
}

async function* runInTurn(services: CallServices, waiting: Iterator<Call>): AsyncGenerator<Fact> {
  for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
    yield* runCall(services, next.value);
  }
}

function groups(services: CallServices, calls: readonly Call[]): Call[][] {
  const result: Call[][] = [];
  let open = false;
  for (const call of calls) {
    const parallel = toolOf(services, call)?.parallel ?? true;
    const last = result.at(-1);
    if (parallel && open && last !== undefined) last.push(call);
    else result.push([call]);
    open = parallel;
  }
  return result;
}

async function* runCall(services: CallServices, call: Call): AsyncGenerator<Fact> {
  const { callId, name } = call;
  const { signal } = services.context;
  // If the run is stopping, do not start the call. It stays open: a resumed run starts it, or the end of the run closes
  // it.
  signal.throwIfAborted();
  const tool = toolOf(services, call);
  if (tool === undefined) {
    const known = services.tools.map((candidate) => candidate.name).join(", ");
    yield ended(callId, failed(`There is no tool ${name}. Available tools: ${known}.`));
    return;
  }
  const input = readInput(tool, call.input);
  if (call.problem !== null || !input.success) {
    const why = call.problem ?? (input.error === undefined ? "" : z.prettifyError(input.error));
    yield ended(callId, failed(`The arguments of ${name} are not valid: ${why}`));
    return;
  }
  const progress = createProgress();
  const { context, runError } = toolContext(services, {
    callId,
    progress: (text) => progress.push(text),
  });
  const permission = await permissionFor(tool, input.data, context);
  if (permission.status === "failed") {
    yield ended(callId, permission.result);
    return;
  }
  const { request } = permission;
  const permit = await permitCall(services, {
    call,
    request,
    problem: async () => (await tool.problem?.(input.data, context)) ?? null,
  });
  if (permit.status === "denied") {
    yield { type: "toolEnd", callId, status: "denied", output: permit.text };
    return;
  }
  if (permit.status === "failed") {
    yield ended(callId, failed(permit.text));
    return;
  }
  // The answer may come late. Check that the call would still perform exactly the action that the person allowed.
  const now = permit.isAsked ? await permissionFor(tool, input.data, context) : permission;
  if (now.status === "failed" || !isSame(now.request, request)) {
    yield ended(
      callId,
      failed(
        "The target of this call changed after it was allowed. Look at it again, then repeat the call.",
      ),
    );
    return;
  }
  signal.throwIfAborted();
  const hooked = hookCall(services, { callId, name, input: input.data });
  const objection = await services.hooks.beforeTool(hooked);
  signal.throwIfAborted();
  if (objection !== null) {
    yield { type: "toolEnd", callId, status: "denied", output: objection };
    return;
  }
  if (!tool.repeatable) {
    const files = await touched(tool, input.data, context);
    const summary = request === null ? name : describeAction(request);
    yield { type: "toolStart", callId, intent: { summary, files } };
  }
  const running = attempt(tool, input.data, context).finally(() => progress.end());
  for await (const text of progress.texts()) yield { type: "delta", kind: "tool", text, callId };
  const result = await running;
  const brokenRun = runError();
  if (brokenRun !== null) throw brokenRun;
  const stopped = signal.aborted && result.status === "failed";
  if (stopped && tool.repeatable) throw signal.reason;
  for (const { path, hash } of result.extra?.seen ?? []) services.seen.set(path, hash);
  const status = stopped ? "interrupted" : result.status;
  const { output } = result;
  const remark = stopped ? null : await services.hooks.afterTool({ ...hooked, status, output });
  yield ended(callId, withRemarks(result, [remark, permit.note]), status);
}

function hookCall(
  { context }: CallServices,
  call: { callId: string; name: string; input: unknown },
): HookCall {
  const { directory, sessionId, runId, signal } = context;
  const { callId, name: tool, input } = call;
  return { directory, sessionId, runId, callId, tool, input, signal };
}

function withRemarks(result: ToolResult, remarks: readonly (string | null)[]): ToolResult {
  const said = remarks.filter((remark) => remark !== null);
  return { ...result, output: [result.output, ...said].join("\n") };
}

async function permissionFor(
  tool: Tool,
  input: unknown,
  context: ToolContext,
): Promise<
  | { readonly status: "known"; readonly request: PermissionRequest | null }
  | { readonly status: "failed"; readonly result: ToolResult }
> {
  try {
    return { status: "known", request: await tool.permission(input, context) };
  } catch (error) {
    return { status: "failed", result: failed(messageOf(error)) };
  }
}

function isSame(one: PermissionRequest | null, other: PermissionRequest | null): boolean {
  return one?.subject === other?.subject && one?.path === other?.path;
}

/**
 * Returns the files that a call will change. Read errors are ignored here, because the call itself reports them better.
 */
async function touched(
  tool: Tool,
  input: unknown,
  context: ToolContext,
): Promise<readonly TouchedFile[]> {
  try {
    return (await tool.touches?.(input, context)) ?? [];
  } catch {
    return [];
  }
}

async function attempt(tool: Tool, input: unknown, context: ToolContext): Promise<ToolResult> {
  try {
    if (!context.mayAct()) return failed("The run stopped before this call started.");
    return await tool.run(input, context);
  } catch (error) {
    return failed(messageOf(error));
  }
}

interface CallContext {
  readonly context: ToolContext;
  /**
   * Returns an error that must end the run, for example if another process has taken over the run. The run ends after
   * the tool has returned, and the model does not see the error.
   */
  readonly runError: () => Error | null;
}

function toolContext(
  services: CallServices,
  call: { callId: string; progress: (text: string) => void },
): CallContext {
  const { context, seen, permissions, sampler } = services;
  const { directory, sessionId, runId, signal } = context;
  const { depth = 0 } = context;
  const [prompt] = context.prompts;
  const model = prompt?.model;
  let runError: Error | null = null;
  const watched = async <Result>(result: Promise<Result>): Promise<Result> => {
    try {
      return await result;
    } catch (error) {
      // A refused request is reported to the model, which can try something else. Any other error ends the run.
      if (error instanceof Error && !("refusal" in error)) runError = error;
      throw error;
    }
  };
  const ask: AgentContext["ask"] = (request) => watched(context.ask(request));
  const { callId } = call;
  return {
    runError: () => runError,
    context: {
      directory,
      sessionId,
      runId,
      callId,
      signal,
      mayAct: () => context.mayAct(),
      settings: limitSettings(services.settings, context.directories ?? null),
      progress: call.progress,
      seen: (path) => seen.get(path) ?? null,
      ...(model === undefined ? {} : { model }),
      wish: mergeWishes(prompt === undefined ? [] : [prompt]),
      mayRead: (subject) => permissions.decide({ action: "read", subject }, "ask") === "allow",
      ...(sampler === undefined
        ? {}
        : { sample: (request) => sampler.sample(request, { callId, permissions, ask }) }),
      agent: {
        depth,
        ask,
        child: (child) => watched(context.child(child)),
        background: (child) => watched(context.background(child)),
      },
    },
  };
}

function failed(output: string): ToolResult {
  return { status: "failed", output };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function ended(
  callId: string,
  result: ToolResult,
  status: ToolResult["status"] | "interrupted" = result.status,
): Fact {
  const { output, extra = null, files } = result;
  return { type: "toolEnd", callId, status, output, extra, ...(files && { files }) };
}

function toolOf(services: CallServices, call: Call): Tool | undefined {
  return services.tools.find((tool) => tool.name === call.name);
}
