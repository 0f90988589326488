import { createHash } from "node:crypto";
import { AgentFailure } from "../agent.ts";
import type { Agent, AgentContext, Fact, Workspace } from "../agent.ts";
import type { AssistantMessage, Message } from "../message.ts";
import { modelGone } from "../model/find-model.ts";
import { messageLength } from "../model/message-length.ts";
import { ModelError } from "../model/model.ts";
import type { Model, ToolDefinition } from "../model/model.ts";
import type { ReasoningWish } from "../model/reasoning.ts";
import { failure } from "../model/provider-errors.ts";
import { createInstructionsReader } from "../instructions.ts";
import type { InstructionsReader } from "../instructions.ts";
import type { RememberedRules } from "../permissions/remembered.ts";
import type { AgentSetup } from "../setup.ts";
import type { Tool } from "../tools/tool.ts";
import { answerExtraOf, remark } from "./answer-extra.ts";
import { readAttachments } from "./attachments.ts";
import { modelOfRun, profileFor, toolsFor, withoutHold } from "./profile.ts";
import { runCalls } from "./calls.ts";
import type { CallServices } from "./calls.ts";
import {
  compactionShares,
  compactionRequest,
  estimateTokens,
  fitSettings,
  isCompactionLoop,
  isNearlyFull,
} from "./compaction.ts";
import type { EstimatedRequest } from "./compaction.ts";
import { readEnvironment } from "./environment.ts";
import { createLoopGuard } from "./loop-guard.ts";
import {
  compactionNews,
  isShort,
  nothingToCompact,
  wantedCompaction,
  wantsNothingElse,
} from "./manual-compaction.ts";
import { openPermissions } from "./policy.ts";
import type { Permissions } from "./policy.ts";
import { createRefusedFiles } from "./refused-files.ts";
import type { RefusedFiles } from "./refused-files.ts";
import { modelConversation } from "./request.ts";
import type { ModelConversation } from "./request.ts";
import type { RetryOptions } from "./retry.ts";
import { createSampler } from "./sampling.ts";
import { seenFiles } from "./seen-files.ts";
import { asFailure, chargeFailed, takeStep } from "./step.ts";
import type { StepAnswer, StepRequest } from "./step.ts";
import { systemPrompt, toolDefinitions } from "./system-prompt.ts";
import { titleFor } from "./title.ts";
import { createUnpaidUsage } from "./unpaid-usage.ts";
import type { UnpaidUsage } from "./unpaid-usage.ts";
import { createWindows, expectWindow, outputRoom, toolsLength } from "./window.ts";
import type { Windows } from "./window.ts";

export interface CodingAgentOptions extends RetryOptions {
  /** Returns the agent settings of a workspace. Must return the same object for the same config version. */
  readonly setup: (workspace: Workspace) => AgentSetup;
  readonly remembered: RememberedRules;
  /**
   * Timeouts of a model call in milliseconds: `stallAfter` between two pieces of an answer, `endAfter` for the whole
   * answer.
   */
  readonly stallAfter: number;
  readonly endAfter: number;
  /** Returns the current time. Default: the system clock. */
  readonly now?: () => number;
}

/** Creates the coding agent, which works on software with a model and tools. */
export function createCodingAgent(options: CodingAgentOptions): Agent {
  const instructions = createInstructionsReader();
  const refusedFiles = createRefusedFiles();
  const windows = createWindows();
  return {
    name: "coding",
    opensWithStep: true,
    run: (context) => work({ ...options, instructions, refusedFiles, windows }, context),
    title: async (prompt, context) => {
      const setup = options.setup(context.workspace);
      const model = setup.models.small ?? modelOfRun(setup, prompt, context);
      return titleFor(await setup.models.open(model), prompt, context);
    },
  };
}

/**
 * Fails the run if the server reports that the model cannot call tools. Every request of the agent contains tools, so
 * the server would reject every request.
 */
function expectTools({ id, callsTools = true }: Model): void {
  if (callsTools) return;
  throw modelGone(
    `The model ${id} cannot call tools, and an agent needs them. Choose another model.`,
  );
}

/** Fails the run if a budget limits its cost but the price of the model is unknown (P6). */
async function expectPrice(model: Model, context: AgentContext): Promise<void> {
  if (model.isPriced !== false || (await context.hasCostLimit?.()) !== true) return;
  throw new AgentFailure(
    "budget",
    `The price of ${model.id} is unknown, so its cost cannot be limited. ` +
      "Set the model's price in the config, or limit tokens instead.",
  );
}

interface Options extends CodingAgentOptions {
  /** Reads the instruction files of a project directory, such as AGENTS.md. */
  readonly instructions: InstructionsReader;
  readonly refusedFiles: RefusedFiles;
  readonly windows: Windows;
}

async function* work(options: Options, context: AgentContext): AsyncGenerator<Fact> {
  const { models } = options.setup(context.workspace);
  try {
    yield* workWith(options, context);
  } finally {
    models.release(context.runId);
  }
}

async function* workWith(options: Options, context: AgentContext): AsyncGenerator<Fact> {
  const setup = options.setup(context.workspace);
  const { sessionId, directory } = context;
  // Start reading instructions now, in parallel with loading the conversation.
  const instructions = options.instructions(directory, setup.toolSettings.guarded.hidden);
  const environment = readEnvironment(directory, (options.now ?? Date.now)());
  const { profile, model, wish, isNamed } = await profileFor(setup, context);
  await expectPrice(model, context);
  const tools = toolsFor(setup, profile);
  const { hooks } = setup;
  const unpaid = createUnpaidUsage();
  const { runId, signal } = context;
  const sampler = createSampler(model, { runId, signal, unpaid });
  let opening: Promise<Permissions> | null = null;
  /** Loads the permission rules when the first tool call needs them. Most answers contain no calls. */
  const callServices = async (messages: readonly Message[]): Promise<CallServices> => {
    const rules = [...setup.rules, ...profile.rules];
    const { remembered } = options;
    const isOpen = opening !== null;
    opening ??= openPermissions({ rules, remembered, sessionId, directory });
    const permissions = await opening;
    if (isOpen) await permissions.reload();
    const seen = new Map(seenFiles(messages));
    const settings = fitSettings(setup.toolSettings, options.windows.limits(model));
    return { context, tools, settings, hooks, permissions, sampler, seen };
  };
  const guard = createLoopGuard();
  const last = context.attempt > 1 ? (await context.conversation()).at(-1) : undefined;
  if (last !== undefined && isFinal(last, context)) {
    yield { type: "result", text: last.text };
    return;
  }
  try {
    expectTools(model);
    // A crash left calls of the last answer without results. Finish these calls before the next model call (T1).
    if (context.openCalls.length > 0) {
      yield* runCalls(
        await callServices(await context.conversation()),
        context.openCalls.map((call) => ({ ...call, problem: null })),
      );
    }
    for (;;) {
      await context.boundary();
      const messages = await context.conversation();
      guard.check(messages);
      await readAttachments(messages, context);
      const limits = options.windows.limits(model);
      const definitions = toolDefinitions(tools, limits);
      const system = systemPrompt({
        directory,
        environment: await environment,
        model: model.id,
        context: limits.context,
        tools: tools.map(({ name }) => name),
        role: profile.prompt,
        isPlanning: (await context.mode()) === "plan",
        without: context.workspace.without,
        instructions: [...setup.instructions, ...(await instructions)],
      });
      const prepared = { model, wish, system, tools, definitions };
      const input: StepInput = { options, context, ...prepared, unpaid };
      expectWindow(model, { system, tools: definitions });
      const made = yield* chargeFailed(unpaid, compactAsAsked(input, messages));
      if (made === "summary") continue;
      const { prompts } = context;
      if (wantsNothingElse(prompts)) {
        const text = compactionNews(messages, { model, prompts, runId }) ?? nothingToCompact;
        yield { type: "answer", text, extra: remark, last: true };
        return;
      }
      const answer = yield* chargeFailed(unpaid, answerOrCompact(input, messages));
      if (answer === null) continue;
      if (answer.calls.length === 0) {
        if (answer.finish === "length")
          yield { type: "result", text: `${answer.text}\n\n${cutNotice}` };
        return;
      }
      yield* runCalls(await callServices(messages), answer.calls);
    }
  } catch (error) {
    const failure = asFailure(error);
    // A model that only this prompt names does not fail the next prompt, so do not pause the session (L4).
    const isOfPrompt = isNamed && failure instanceof AgentFailure && failure.reason === "modelGone";
    throw isOfPrompt ? withoutHold(failure) : failure;
  }
}

/** True if the run crashed after its last answer was stored. No further model call is needed. */
function isFinal(last: Message, { runId }: AgentContext): last is AssistantMessage {
  return (
    last.role === "assistant" &&
    last.runId === runId &&
    last.calls.length === 0 &&
    !last.interrupted &&
    answerExtraOf(last.extra)?.kind === "answer"
  );
}

const cutNotice = "[The answer reached the model's length limit. Send another prompt to continue.]";

interface StepInput {
  readonly options: Options;
  readonly context: AgentContext;
  readonly model: Model;
  readonly wish: ReasoningWish;
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly definitions: readonly ToolDefinition[];
  readonly unpaid: UnpaidUsage;
}

/** Creates the summary that the user requested, if the conversation is long enough to summarize. */
async function* compactAsAsked(
  input: StepInput,
  messages: readonly Message[],
): AsyncGenerator<Fact, "summary" | "nothing"> {
  const { model, context } = input;
  const wanted = wantedCompaction(messages, context.prompts);
  if (wanted === null) return "nothing";
  const conversation = modelConversation(messages, { model, prompts: context.prompts });
  if (isShort(conversation)) return "nothing";
  yield* compact(input, conversation, { step: messages.length, ...wanted });
  return "summary";
}

/** Requests an answer. Returns null if this step created a summary instead, so the next step must answer. */
async function* answerOrCompact(
  input: StepInput,
  messages: readonly Message[],
): AsyncGenerator<Fact, StepAnswer | null> {
  const { context, model, system, definitions: tools } = input;
  const { prompts } = context;
  const { windows } = input.options;
  const conversation = modelConversation(messages, { model, prompts });
  const estimated: EstimatedRequest = { system, toolsLength: toolsLength(tools), conversation };
  const step = messages.length;
  // A conversation that consists only of a summary cannot become shorter by another summary.
  const mayShrink = conversation.recent > 1;
  if (mayShrink && isNearlyFull(estimated, windows.limits(model))) {
    if (isCompactionLoop(messages, context.runId)) throw compactionLoop(model);
    yield* compact(input, conversation, { step, focus: "" });
    return null;
  }
  const { refusedFiles } = input.options;
  for (;;) {
    const shown = refusedFiles.show(conversation.messages, model.id);
    const tokens = estimateTokens(estimated);
    const maxOutput = outputRoom(windows.limits(model), tokens);
    const asked = { kind: "answer", messages: shown.messages, tools, step, maxOutput } as const;
    try {
      return yield* takeStep(model, request(input, asked));
    } catch (error) {
      if (shown.blame(error)) continue;
      if (!isTooLong(error)) throw error;
      const explained = windows.learn(model, { error, tokens });
      if (!mayShrink || isCompactionLoop(messages, context.runId)) throw explained;
      yield* compact(input, conversation, { step, focus: "" });
      return null;
    }
  }
}

async function* compact(
  input: StepInput,
  { messages }: ModelConversation,
  { step, focus }: { step: number; focus: string },
): AsyncGenerator<Fact> {
  const { model, system } = input;
  const { windows } = input.options;
  for (const share of compactionShares) {
    const limits = windows.limits(model);
    const shorter = compactionRequest(messages, { limits, share, focus });
    const characters = shorter.reduce((sum, message) => sum + messageLength(message), 0);
    const conversation = { characters, counted: null };
    const tokens = estimateTokens({ system, toolsLength: 0, conversation });
    const maxOutput = outputRoom(limits, tokens);
    const asked = { kind: "compaction", messages: shorter, tools: [], step, maxOutput } as const;
    try {
      yield* takeStep(model, request(input, asked));
      return;
    } catch (error) {
      if (!isTooLong(error)) throw error;
      const explained = windows.learn(model, { error, tokens });
      if (share === compactionShares.at(-1)) throw explained;
    }
  }
}

function compactionLoop({ provider }: Model): ModelError {
  const detail = "the conversation was summarized several times in a row and is still too long";
  return failure("contextTooLong", { provider, detail });
}

function isTooLong(error: unknown): error is ModelError {
  return error instanceof ModelError && error.kind === "contextTooLong";
}

function request(
  input: StepInput,
  step: Pick<StepRequest, "kind" | "messages" | "tools" | "step" | "maxOutput">,
): StepRequest {
  const { context, system, wish, options, unpaid } = input;
  const { signal, runId, attachment: file } = context;
  const { stallAfter, endAfter } = options;
  const repeatable = (name: string): boolean =>
    input.tools.find((tool) => tool.name === name)?.repeatable ?? true;
  const asked = { system, wish, cacheKey: cacheKeyOf(context.sessionId), signal, file };
  const limits = { stallAfter, endAfter, retry: options };
  return { ...step, ...asked, ...limits, runId, repeatable, unpaid };
}

/** Returns a digest of the session id for the provider, because session ids may contain names of people. */
function cacheKeyOf(sessionId: string): string {
  return createHash("sha256").update(`session ${sessionId}`).digest("hex").slice(0, 32);
}
