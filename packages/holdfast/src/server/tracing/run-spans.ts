import type { Attributes, Span, SpanContext } from "@opentelemetry/api";
import { createBoundedMap } from "../../base/bounded-map.ts";
import { createMutex } from "../../base/serial.ts";
import { isOf } from "../../kernel/event-table.ts";
import type { EventOf, LaneEvent } from "../../kernel/event.ts";
import { modelAttributes, modelName, spanName, usageAttributes } from "./gen-ai.ts";
import type { DescribedRun, RunFacts } from "./run-facts.ts";
import { promptKey } from "./span-tools.ts";
import type { SpanTools } from "./span-tools.ts";

/** Converts the events of this process's runs to spans with the times of the events. */
export interface RunSpans {
  observe(event: LaneEvent): void;
  /** Converts all remaining events, then ends all open spans. */
  end(): Promise<void>;
}

export interface RunSpansOptions {
  readonly tools: SpanTools;
  readonly facts: RunFacts;
  readonly isOwn: (owner: string) => boolean;
  /** Returns the span of the request that sent a prompt; null if this process did not receive the request. */
  readonly takeRequest: (key: string) => SpanContext | null;
  readonly onError: (error: unknown) => void;
}

/** The spans of a run that has not ended. */
interface Traced {
  readonly run: Span;
  readonly described: DescribedRun;
  /** The model call in progress. */
  chat: Span | null;
  readonly tools: Map<string, Span>;
}

const maxRuns = 1_000;
const maxChildren = 10_000;

const tracedTypes = [
  "run.started",
  "run.resumed",
  "prompt.takenIn",
  "step.opened",
  "step.answered",
  "tool.started",
  "tool.ended",
  "child.linked",
  "run.ended",
  "run.handedOver",
  "run.suspended",
] as const;
type TracedEvent = EventOf<(typeof tracedTypes)[number]>;

export function createRunSpans(options: RunSpansOptions): RunSpans {
  const { tools, facts, isOwn, takeRequest, onError } = options;
  const runs = createBoundedMap<string, Traced>(maxRuns, (traced) => close(traced));
  /**
   * Span of the tool call or run that sent a prompt to a child session. The key is the child's prompt. This span
   * becomes the parent of the span of the child's run.
   */
  const parents = createBoundedMap<string, Span>(maxChildren);
  const open = new Set<Traced>();

  const close = (traced: Traced, at?: number): void => {
    for (const tool of traced.tools.values()) tool.end(at);
    traced.chat?.end(at);
    traced.run.end(at);
    open.delete(traced);
  };
  const begin = async (event: EventOf<"run.started" | "run.resumed">): Promise<void> => {
    if (!isOwn(event.owner)) return;
    const described = await facts.run(event);
    const { sessionId, runId, attempt, at } = event;
    const key = event.type === "run.started" ? promptKey(event) : "";
    const run = tools.start(spanName("invoke_agent", described.agent), {
      kind: "internal",
      at,
      parent: parents.take(key),
      link: takeRequest(key),
      attributes: {
        ...common("invoke_agent", sessionId),
        ...modelAttributes(described.model),
        ...(described.agent === null ? {} : { "gen_ai.agent.name": described.agent }),
        "holdfast.run.id": runId,
        "holdfast.run.attempt": attempt,
        ...(event.type === "run.started" ? { "holdfast.prompt.id": event.promptId } : {}),
      },
    });
    const traced: Traced = { run, described, chat: null, tools: new Map() };
    open.add(traced);
    runs.set(runId, traced);
  };
  const openChat = (traced: Traced, { sessionId, step, at }: EventOf<"step.opened">): void => {
    traced.chat?.end(at);
    const { model } = traced.described;
    traced.chat = tools.start(spanName("chat", modelName(model)), {
      kind: "client",
      at,
      parent: traced.run,
      attributes: {
        ...common("chat", sessionId),
        ...modelAttributes(model),
        "gen_ai.request.stream": true,
        "holdfast.step": step,
      },
    });
  };
  const endChat = async (traced: Traced, event: EventOf<"step.answered">): Promise<void> => {
    const { sessionId, usage, calls, at } = event;
    const { model, finish } = await facts.answer(event);
    const { chat } = traced;
    if (model !== null) {
      chat?.updateName(spanName("chat", modelName(model)));
      chat?.setAttributes(modelAttributes(model));
    }
    chat?.setAttributes(usageAttributes(usage));
    if (finish !== null) chat?.setAttribute("gen_ai.response.finish_reasons", [finish]);
    chat?.end(at);
    traced.chat = null;
    // A call's span starts at the time of the model's answer, because not every call has a start event.
    for (const { callId, name } of calls) {
      const attributes = {
        ...common("execute_tool", sessionId),
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": callId,
        "gen_ai.tool.type": "function",
      };
      const settings = { kind: "internal", at, parent: traced.run, attributes } as const;
      traced.tools.set(callId, tools.start(spanName("execute_tool", name), settings));
    }
  };
  const endTool = (traced: Traced, { callId, status, at }: EventOf<"tool.ended">): void => {
    const tool = traced.tools.get(callId);
    traced.tools.delete(callId);
    if (tool === undefined) return;
    tool.setAttribute("holdfast.tool.status", status);
    if (status !== "completed") fail(tool, status);
    tool.end(at);
  };
  const fail = (span: Span, type: string): void => {
    span.setAttribute("error.type", type);
    tools.fail(span, type);
  };
  const endRun = (traced: Traced, { outcome, usage }: EventOf<"run.ended">): void => {
    const { status, reason } = outcome;
    traced.run.setAttributes({ ...usageAttributes(usage), "holdfast.outcome": status });
    if (reason !== null) traced.run.setAttribute("holdfast.reason", reason);
    if (status !== "failed") return;
    fail(traced.run, reason ?? status);
    if (traced.chat !== null) fail(traced.chat, reason ?? status);
  };
  const convert = async (event: TracedEvent): Promise<void> => {
    if (event.type === "run.started" || event.type === "run.resumed") return begin(event);
    const traced = event.runId === null ? null : runs.get(event.runId);
    if (traced === null) return;
    switch (event.type) {
      case "prompt.takenIn": {
        const context = takeRequest(promptKey(event));
        if (context !== null) traced.run.addLink({ context });
        return;
      }
      case "step.opened":
        return openChat(traced, event);
      case "step.answered":
        return endChat(traced, event);
      case "tool.started":
        traced.tools.get(event.callId)?.addEvent("started", {}, event.at);
        return;
      case "tool.ended":
        return endTool(traced, event);
      case "child.linked": {
        const { childSessionId: sessionId, childPromptId: promptId, callId } = event;
        const parent = callId === null ? traced.run : (traced.tools.get(callId) ?? traced.run);
        parents.set(promptKey({ sessionId, promptId }), parent);
        return;
      }
      case "run.ended":
      case "run.handedOver":
      case "run.suspended":
        if (event.type === "run.ended") endRun(traced, event);
        runs.take(event.runId);
        close(traced, event.at);
    }
  };
  // Convert events one at a time, because some need a read from the store.
  const oneAtATime = createMutex();
  return {
    observe: (event) => {
      if (isOf(event, tracedTypes)) oneAtATime(() => convert(event)).catch(onError);
    },
    end: async () => {
      await oneAtATime(async () => {});
      for (const traced of open) close(traced);
    },
  };
}

function common(operation: string, sessionId: string): Attributes {
  return { "gen_ai.operation.name": operation, "gen_ai.conversation.id": sessionId };
}
