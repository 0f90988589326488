import { z } from "zod";
import type { AgentContext, AskAnswer, Fact } from "../agent.ts";
import { merge } from "../merge.ts";
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
import type { Permissions } from "./policy.ts";
import { createProgress } from "./progress.ts";
import { readInput } from "./read-input.ts";
import type { StepCall } from "./step.ts";

export interface CallParts {
  readonly context: AgentContext;
  readonly tools: readonly Tool[];
  readonly settings: ToolSettings;
  readonly permissions: Permissions;
  readonly hooks: ToolHooks;
  /** The hash of each file's content as the session last saw it; calls add to it. */
  readonly seen: Map<string, string>;
}

/** A call to carry out; after a crash with what people had said about it. */
export interface Call extends StepCall {
  readonly gate?: "open" | "asking" | "denied";
}

/** So many calls are at work side by side; an answer may ask for a thousand. */
const sideBySide = 8;

/** Carries out an answer's calls in order, side by side where neighbours say that they may be. */
export async function* runCalls(parts: CallParts, calls: readonly Call[]): AsyncGenerator<Fact> {
  for (const group of groups(parts, calls)) {
    const waiting = group.values();
    const workers = Array.from({ length: Math.min(sideBySide, group.length) }, () =>
      runInTurn(parts, waiting),
    );
    yield* merge(workers);
  }
}

async function* runInTurn(parts: CallParts, waiting: Iterator<Call>): AsyncGenerator<Fact> {
  for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
    yield* runCall(parts, next.value);
  }
}

function groups(parts: CallParts, calls: readonly Call[]): Call[][] {
  const result: Call[][] = [];
  let open = false;
  for (const call of calls) {
    const parallel = toolOf(parts, call)?.parallel ?? true;
    const last = result.at(-1);
    if (parallel && open && last !== undefined) last.push(call);
    else result.push([call]);
    open = parallel;
  }
  return result;
}

async function* runCall(parts: CallParts, call: Call): AsyncGenerator<Fact> {
  const { callId, name } = call;
  const { signal } = parts.context;
  // What has not begun stays open: a resumed run begins it, and the end of a stopped one closes it.
  signal.throwIfAborted();
  const tool = toolOf(parts, call);
  if (tool === undefined) {
    const known = parts.tools.map((candidate) => candidate.name).join(", ");
    yield ended(callId, failed(`There is no tool ${name}. There are: ${known}.`));
    return;
  }
  const input = readInput(tool, call.input);
  if (call.problem !== null || !input.success) {
    const why = call.problem ?? (input.error === undefined ? "" : z.prettifyError(input.error));
    yield ended(callId, failed(`The arguments of ${name} are not what it takes: ${why}`));
    return;
  }
  const progress = createProgress();
  const { context, trouble } = toolContext(parts, {
    callId,
    progress: (text) => progress.push(text),
  });
  const permission = await permissionFor(tool, input.data, context);
  if (permission.status === "failed") {
    yield ended(callId, permission.result);
    return;
  }
  const { request } = permission;
  const isAsked = request !== null && parts.permissions.decide(request) !== "allow";
  const { denial, note } = await permit(parts, { call, request });
  if (denial !== null) {
    yield { type: "toolEnd", callId, status: "denied", output: denial };
    return;
  }
  // People take their time: what they have allowed must still be what is done.
  const now = isAsked ? await permissionFor(tool, input.data, context) : permission;
  if (now.status === "failed" || !isSame(now.request, request)) {
    yield ended(callId, failed("What it is about has changed since it was allowed; look again."));
    return;
  }
  signal.throwIfAborted();
  const hooked = hookCall(parts, { callId, name, input: input.data });
  const objection = await parts.hooks.beforeTool(hooked);
  signal.throwIfAborted();
  if (objection !== null) {
    yield { type: "toolEnd", callId, status: "denied", output: objection };
    return;
  }
  if (!tool.repeatable) {
    const files = await touched(tool, input.data, context);
    const summary = request === null ? name : deedOf(request);
    yield { type: "toolStart", callId, intent: { summary, files } };
  }
  const running = attempt(tool, input.data, context).finally(() => progress.end());
  for await (const text of progress.texts()) yield { type: "delta", kind: "tool", text, callId };
  const result = await running;
  const broken = trouble();
  if (broken !== null) throw broken;
  const stopped = signal.aborted && result.status === "failed";
  if (stopped && tool.repeatable) throw signal.reason;
  for (const { path, hash } of result.extra?.seen ?? []) parts.seen.set(path, hash);
  const status = stopped ? "interrupted" : result.status;
  const { output } = result;
  const remark = stopped ? null : await parts.hooks.afterTool({ ...hooked, status, output });
  yield ended(callId, withRemarks(result, [remark, note]), status);
}

function hookCall(
  { context }: CallParts,
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
    return { status: "failed", result: failed(wordsOf(error)) };
  }
}

interface Permit {
  /** Null when it may run, otherwise what the model is told. */
  readonly denial: string | null;
  /** What there is to say besides, of one that may run. */
  readonly note: string | null;
}

const permitted: Permit = { denial: null, note: null };

async function permit(
  parts: CallParts,
  target: { call: Call; request: PermissionRequest | null },
): Promise<Permit> {
  const { permissions } = parts;
  const { call, request } = target;
  if (request === null) return permitted;
  const decision = permissions.decide(request);
  if (decision === "deny") return denied(`A rule does not allow to ${deedOf(request)}.`);
  // An ask that was opened before a crash is still the one that counts, whatever the rules say now.
  const asked = call.gate === "asking" || call.gate === "denied";
  if (decision === "allow" && !asked) return permitted;
  const warning = permissions.warning();
  const answer = await askToPermit(parts, { call, request, warning });
  if (answer.verdict === "expired")
    return denied("Nobody answered in time, so it was not allowed.");
  if (answer.verdict === "allow" && warning !== null) permissions.noted();
  const { verdict, text, remember } = answer;
  const { rule } = permissions.rememberable(request, verdict);
  const problem =
    remember === null || rule === null ? null : await permissions.remember(rule, remember);
  const note = problem === null ? null : `[The answer counts for this once: ${problem}]`;
  if (verdict === "allow") return { denial: null, note };
  const said = text === null ? "" : ` They said: ${text}`;
  const notes = [warning, note].filter((line) => line !== null);
  return denied([`People did not allow this call.${said}`, ...notes].join("\n"));
}

function denied(denial: string): Permit {
  return { denial, note: null };
}

/** People are shown what an answer that is to be remembered would stand for, before they give it. */
function askToPermit(
  { context, permissions }: CallParts,
  target: { call: Call; request: PermissionRequest; warning: string | null },
): Promise<AskAnswer> {
  const { call, request, warning } = target;
  const { rule, objection } = permissions.rememberable(request, "allow");
  const question = `May the agent ${deedOf(request)}?`;
  const note = objection === null ? null : `It can only be answered for this once: ${objection}.`;
  return context.ask({
    askId: `${call.callId}:permission`,
    callId: call.callId,
    question: [warning, question, request.warning ?? null, note]
      .filter((line) => line !== null)
      .join("\n"),
    extra: { permission: request, tool: call.name, remembers: rule },
  });
}

function deedOf({ action, subject, path }: PermissionRequest): string {
  const place = path === undefined ? "" : ` in ${path}`;
  if (action === "network") return `run ${subject}${place} with the network`;
  return `${action === "mcp" ? "use" : action} ${subject}${place}`;
}

function isSame(one: PermissionRequest | null, other: PermissionRequest | null): boolean {
  return one?.subject === other?.subject && one?.path === other?.path;
}

/** What cannot be read now will make the call itself fail, with better words. */
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
    if (!context.mayAct()) return failed("stopped before it was done");
    return await tool.run(input, context);
  } catch (error) {
    return failed(wordsOf(error));
  }
}

interface CallContext {
  readonly context: ToolContext;
  /** What the run itself threw at the tool: that is not the tool's failure, nor the model's to know. */
  readonly trouble: () => Error | null;
}

function toolContext(
  parts: CallParts,
  call: { callId: string; progress: (text: string) => void },
): CallContext {
  const { context, seen, permissions } = parts;
  const { directory, sessionId, runId, signal } = context;
  const { depth = 0 } = context;
  const model = context.prompts[0]?.model;
  let trouble: Error | null = null;
  const watched = async <Result>(result: Promise<Result>): Promise<Result> => {
    try {
      return await result;
    } catch (error) {
      // A refusal is about what the tool wanted, and the model can want something else.
      if (error instanceof Error && !("refusal" in error)) trouble = error;
      throw error;
    }
  };
  return {
    trouble: () => trouble,
    context: {
      directory,
      sessionId,
      runId,
      callId: call.callId,
      signal,
      mayAct: () => context.mayAct(),
      settings: limitSettings(parts.settings, context.directories ?? null),
      progress: call.progress,
      seen: (path) => seen.get(path) ?? null,
      ...(model === undefined ? {} : { model }),
      mayRead: (subject) => permissions.decide({ action: "read", subject }) === "allow",
      agent: {
        depth,
        ask: (ask) => watched(context.ask(ask)),
        child: (child) => watched(context.child(child)),
        background: (child) => watched(context.background(child)),
      },
    },
  };
}

function failed(output: string): ToolResult {
  return { status: "failed", output };
}

function wordsOf(error: unknown): string {
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

function toolOf(parts: CallParts, call: Call): Tool | undefined {
  return parts.tools.find((tool) => tool.name === call.name);
}
