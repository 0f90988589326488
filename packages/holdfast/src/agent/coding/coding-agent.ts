import { AgentFailure } from "../agent.ts";
import type { Agent, AgentContext, Fact, Workspace } from "../agent.ts";
import type { AssistantMessage, Message } from "../message.ts";
import { ModelError } from "../model/model.ts";
import type { Model } from "../model/model.ts";
import { failure } from "../model/provider-errors.ts";
import { createInstructionsReader } from "../instructions.ts";
import type { InstructionsReader } from "../instructions.ts";
import type { RememberedRules } from "../permissions/remembered.ts";
import type { AgentSetup } from "../setup.ts";
import type { Tool } from "../tools/tool.ts";
import { asksToCompact } from "../compact-command.ts";
import { answerExtraOf, remark } from "./answer-extra.ts";
import { readAttachments } from "./attachments.ts";
import { profileFor, toolsFor } from "./profile.ts";
import { runCalls } from "./calls.ts";
import type { CallParts } from "./calls.ts";
import {
  compactionParts,
  compactionRequest,
  fitSettings,
  isInVain,
  isNearlyFull,
} from "./compaction.ts";
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
import { seenFiles } from "./seen-files.ts";
import { asFailure, takeStep } from "./step.ts";
import type { StepAnswer, StepRequest } from "./step.ts";
import { systemPrompt, toolDefinitions } from "./system-prompt.ts";
import { titleFor } from "./title.ts";

export interface CodingAgentOptions extends RetryOptions {
  /** What a run works with; the same for a generation each time that it is asked for. */
  readonly setup: (workspace: Workspace) => AgentSetup;
  readonly remembered: RememberedRules;
  /** Milliseconds without a piece of an answer, and for a whole one, after which a call is given up. */
  readonly stallAfter: number;
  readonly endAfter: number;
}

/** An agent that works on software with a model and tools. */
export function createCodingAgent(options: CodingAgentOptions): Agent {
  const instructions = createInstructionsReader();
  const refusedFiles = createRefusedFiles();
  return {
    name: "coding",
    opensWithStep: true,
    run: (context) => work({ ...options, instructions, refusedFiles }, context),
    title: async (prompt, context) => {
      if (asksToCompact(prompt)) return null;
      const { models } = options.setup(context.workspace);
      return titleFor(models.open(models.small), prompt, context);
    },
  };
}

/** A cost budget means nothing where nobody knows what a call costs (P6). */
async function expectPrice(model: Model, context: AgentContext): Promise<void> {
  if (model.isPriced !== false || (await context.hasCostLimit?.()) !== true) return;
  throw new AgentFailure(
    "budget",
    `The price of ${model.id} is not known, so its cost cannot be limited. ` +
      "Set the model's price in the config, or limit tokens instead.",
  );
}

interface Options extends CodingAgentOptions {
  /** What a project tells agents, by its directory. */
  readonly instructions: InstructionsReader;
  readonly refusedFiles: RefusedFiles;
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
  // Read while the conversation is.
  const instructions = options.instructions(directory, setup.toolSettings.guarded.hidden);
  const { profile, model } = await profileFor(setup, context);
  await expectPrice(model, context);
  const tools = toolsFor(setup, profile);
  const { hooks } = setup;
  const settings = fitSettings(setup.toolSettings, model.limits);
  let opening: Promise<Permissions> | null = null;
  /** Most answers have no calls, so that nobody's permission matters. */
  const callParts = async (messages: readonly Message[]): Promise<CallParts> => {
    const rules = [...setup.rules, ...profile.rules];
    const { remembered } = options;
    opening ??= openPermissions({ rules, remembered, sessionId, directory });
    const permissions = await opening;
    const seen = new Map(seenFiles(messages));
    return { context, tools, settings, hooks, permissions, seen };
  };
  const guard = createLoopGuard();
  const last = context.attempt > 1 ? (await context.conversation()).at(-1) : undefined;
  if (last !== undefined && isFinal(last, context)) {
    yield { type: "result", text: last.text };
    return;
  }
  try {
    // Cut off between an answer and its results: those come first (T1).
    if (context.openCalls.length > 0) {
      yield* runCalls(
        await callParts(await context.conversation()),
        context.openCalls.map((call) => ({ ...call, problem: null })),
      );
    }
    for (;;) {
      await context.boundary();
      const messages = await context.conversation();
      guard.check(messages);
      await readAttachments(messages, context);
      const system = systemPrompt({
        directory,
        role: profile.prompt,
        without: context.workspace.without,
        instructions: [...setup.instructions, ...(await instructions)],
      });
      const scene: Scene = { options, context, model, system, tools };
      const made = yield* compactAsAsked(scene, messages);
      if (made === "summary") continue;
      const { prompts, runId } = context;
      if (wantsNothingElse(prompts)) {
        const text = compactionNews(messages, { model, prompts, runId }) ?? nothingToCompact;
        yield { type: "answer", text, extra: remark, last: true };
        return;
      }
      const answer = yield* answerOrCompact(scene, messages);
      if (answer === null) continue;
      if (answer.calls.length === 0) {
        if (answer.finish === "length") yield { type: "result", text: `${answer.text}\n\n${cut}` };
        return;
      }
      yield* runCalls(await callParts(messages), answer.calls);
    }
  } catch (error) {
    throw asFailure(error);
  }
}

/** The run was cut off after its last answer and before its end: there is nothing left to ask. */
function isFinal(last: Message, { runId }: AgentContext): last is AssistantMessage {
  return (
    last.role === "assistant" &&
    last.runId === runId &&
    last.calls.length === 0 &&
    !last.interrupted &&
    answerExtraOf(last.extra)?.kind === "answer"
  );
}

const cut = "[The answer ends here because it reached the model's limit. Ask it to go on.]";

interface Scene {
  readonly options: Options;
  readonly context: AgentContext;
  readonly model: Model;
  readonly system: string;
  readonly tools: readonly Tool[];
}

/** The summary that people have asked for, where there is something to sum up. */
async function* compactAsAsked(
  scene: Scene,
  messages: readonly Message[],
): AsyncGenerator<Fact, "summary" | "nothing"> {
  const { model, context } = scene;
  const wanted = wantedCompaction(messages, context.prompts);
  if (wanted === null) return "nothing";
  const conversation = modelConversation(messages, { model, prompts: context.prompts });
  if (isShort(conversation)) return "nothing";
  yield* compact(scene, conversation, { step: messages.length, ...wanted });
  return "summary";
}

/** Null when the step went into making the conversation shorter: the next one answers. */
async function* answerOrCompact(
  scene: Scene,
  messages: readonly Message[],
): AsyncGenerator<Fact, StepAnswer | null> {
  const { context, model, system } = scene;
  const { prompts } = context;
  const conversation = modelConversation(messages, { model, prompts });
  const tools = toolDefinitions(scene.tools);
  const step = messages.length;
  // A summary that was just made cannot be made shorter by making it again.
  const mayShrink = conversation.recent > 1;
  if (mayShrink && isNearlyFull({ system, conversation }, model.limits)) {
    if (isInVain(messages, context.runId)) throw inVain(model);
    yield* compact(scene, conversation, { step, focus: "" });
    return null;
  }
  const { refusedFiles } = scene.options;
  for (;;) {
    const shown = refusedFiles.show(conversation.messages, model.id);
    const asked = { kind: "answer", messages: shown.messages, tools, step } as const;
    try {
      return yield* takeStep(model, request(scene, asked));
    } catch (error) {
      if (shown.blame(error)) continue;
      if (!mayShrink || !isTooLong(error) || isInVain(messages, context.runId)) throw error;
      yield* compact(scene, conversation, { step, focus: "" });
      return null;
    }
  }
}

async function* compact(
  scene: Scene,
  { messages }: ModelConversation,
  { step, focus }: { step: number; focus: string },
): AsyncGenerator<Fact> {
  const { limits } = scene.model;
  for (const part of compactionParts) {
    const shorter = compactionRequest(messages, { limits, part, focus });
    const asked = { kind: "compaction", messages: shorter, tools: [], step } as const;
    try {
      yield* takeStep(scene.model, request(scene, asked));
      return;
    } catch (error) {
      if (!isTooLong(error) || part === compactionParts.at(-1)) throw error;
    }
  }
}

function inVain({ provider }: Model): ModelError {
  const detail = "the conversation was summed up again and again, with hardly a step between";
  return failure("contextTooLong", { provider, detail });
}

function isTooLong(error: unknown): boolean {
  return error instanceof ModelError && error.kind === "contextTooLong";
}

function request(
  scene: Scene,
  step: Pick<StepRequest, "kind" | "messages" | "tools" | "step">,
): StepRequest {
  const { context, system, options } = scene;
  const { signal, runId, attachment: file } = context;
  const { stallAfter, endAfter } = options;
  const repeatable = (name: string): boolean =>
    scene.tools.find((tool) => tool.name === name)?.repeatable ?? true;
  return { ...step, system, signal, runId, file, stallAfter, endAfter, retry: options, repeatable };
}
