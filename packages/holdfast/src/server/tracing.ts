import type { Attributes, Span, Tracer } from "@opentelemetry/api";
import type { LaneEvent } from "../kernel/event.ts";
import type { Outcome } from "../kernel/state.ts";
import { createBoundedMap } from "../base/bounded-map.ts";
import type { AnsweredRequest, Observer } from "./ports.ts";
import type { Follower } from "./stream/follower.ts";

/** Spans for requests and runs, sent to the collector at OTEL_EXPORTER_OTLP_ENDPOINT. */
export interface Tracing extends Observer {
  /**
   * Traces runs from now on: a span for the run, below it the steps, below these the tool calls.
   */
  follow(follower: Follower, isOwn: (owner: string) => boolean): () => void;
  /** Sends all remaining spans. */
  close(): Promise<void>;
}

/** Starts tracing. Null if no collector is configured; then no OpenTelemetry code is loaded. */
export async function createTracing(options: {
  environment: NodeJS.ProcessEnv;
  version: string;
}): Promise<Tracing | null> {
  const { environment, version } = options;
  const url = collectorOf(environment);
  if (url === null || environment["OTEL_SDK_DISABLED"] === "true") return null;
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      "service.name": environment["OTEL_SERVICE_NAME"] ?? "holdfast",
      "service.version": version,
    }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  });
  const tracer = provider.getTracer("holdfast", version);
  const below = (parent: Span | null) =>
    parent === null ? api.ROOT_CONTEXT : api.trace.setSpan(api.ROOT_CONTEXT, parent);
  const start: StartSpan = (name, { parent = null, at, attributes }) =>
    tracer.startSpan(
      name,
      { attributes, ...(at === undefined ? {} : { startTime: at }) },
      below(parent),
    );
  const fail = (span: Span, message: string): void => {
    span.setStatus({ code: api.SpanStatusCode.ERROR, message });
  };
  return {
    answered: (request) => requestSpan({ tracer, request, fail, kind: api.SpanKind.SERVER }),
    follow: (follower, isOwn) => {
      const trace = runTracer({ start, fail, isOwn });
      const stop = follower.listen(trace.observe);
      return () => {
        stop();
        trace.end();
      };
    },
    close: () => provider.shutdown(),
  };
}

/**
 * Returns the collector's address. Appends `/v1/traces` to the general endpoint, as the OpenTelemetry specification
 * requires.
 */
function collectorOf(environment: NodeJS.ProcessEnv): string | null {
  const own = environment["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]?.trim() ?? "";
  const general = environment["OTEL_EXPORTER_OTLP_ENDPOINT"]?.trim() ?? "";
  if (own !== "") return own;
  return general === "" ? null : `${general.replace(/\/+$/, "")}/v1/traces`;
}

type StartSpan = (
  name: string,
  options: { parent?: Span | null; at?: number; attributes: Attributes },
) => Span;

/** Creates the span of a request after the answer, with the start time of the request. */
function requestSpan(options: {
  tracer: Tracer;
  request: AnsweredRequest;
  kind: number;
  fail: (span: Span, message: string) => void;
}): void {
  const { tracer, request, fail, kind } = options;
  const { method, route, status, requestId, actor, code, duration } = request;
  const end = Date.now();
  const span = tracer.startSpan(`${method} ${route}`, {
    kind,
    startTime: end - duration * 1000,
    attributes: {
      "http.request.method": method,
      "http.route": route,
      "http.response.status_code": status,
      "holdfast.request.id": requestId,
      ...(actor === null ? {} : { "holdfast.actor": actor.id }),
      ...(code === null ? {} : { "error.type": code }),
    },
  });
  if (status >= 500) fail(span, code ?? String(status));
  span.end(end);
}

interface RunSpans {
  readonly run: Span;
  step: Span | null;
  readonly tools: Map<string, Span>;
}

const maxRuns = 1_000;

/** Converts events of runs to spans, with the times of the log. */
function runTracer(options: {
  start: StartSpan;
  fail: (span: Span, message: string) => void;
  isOwn: (owner: string) => boolean;
}): { observe: (event: LaneEvent) => void; end: () => void } {
  const { start, fail, isOwn } = options;
  const finish = (spans: RunSpans, at?: number): void => {
    for (const tool of spans.tools.values()) tool.end(at);
    spans.tools.clear();
    spans.step?.end(at);
    spans.step = null;
  };
  const open = new Set<RunSpans>();
  const close = (spans: RunSpans, at?: number): void => {
    finish(spans, at);
    spans.run.end(at);
    open.delete(spans);
  };
  const runs = createBoundedMap<string, RunSpans>(maxRuns, close);

  const begin = (event: Extract<LaneEvent, { type: "run.started" | "run.resumed" }>): void => {
    const { sessionId, runId, attempt, at, owner } = event;
    if (!isOwn(owner)) return;
    const ids = { "holdfast.session.id": sessionId, "holdfast.run.id": runId };
    const prompt = event.type === "run.started" ? { "holdfast.prompt.id": event.promptId } : {};
    const attributes = { ...ids, ...prompt, "holdfast.run.attempt": attempt };
    const spans = { run: start("run", { at, attributes }), step: null, tools: new Map() };
    open.add(spans);
    runs.set(runId, spans);
  };
  const answered = (
    spans: RunSpans,
    event: Extract<LaneEvent, { type: "step.answered" }>,
  ): void => {
    const { usage, calls, at } = event;
    spans.step?.setAttributes({
      "gen_ai.usage.input_tokens": usage.inputTokens,
      "gen_ai.usage.output_tokens": usage.outputTokens,
    });
    spans.step?.addEvent("answered", {}, at);
    // A call may start without an event of its own, so its span starts with the answer.
    for (const { callId, name } of calls) {
      const attributes = { "holdfast.call.id": callId, "holdfast.tool": name };
      spans.tools.set(callId, start(`tool ${name}`, { parent: spans.step, at, attributes }));
    }
    if (calls.length === 0) finish(spans, at);
  };
  const observe = (event: LaneEvent): void => {
    if (event.type === "run.started" || event.type === "run.resumed") begin(event);
    if (!("runId" in event) || event.runId === null) return;
    const spans = runs.get(event.runId);
    if (spans === null) return;
    const { at } = event;
    if (event.type === "step.opened") {
      finish(spans, at);
      const attributes = { "holdfast.step": event.step };
      spans.step = start(`step ${event.step}`, { parent: spans.run, at, attributes });
    }
    if (event.type === "step.answered") answered(spans, event);
    if (event.type === "tool.started") spans.tools.get(event.callId)?.addEvent("started", {}, at);
    if (event.type === "tool.ended") {
      const tool = spans.tools.get(event.callId);
      tool?.setAttribute("holdfast.tool.status", event.status);
      if (tool !== undefined && event.status !== "completed") fail(tool, event.status);
      tool?.end(at);
      spans.tools.delete(event.callId);
    }
    if (event.type === "run.ended") recordOutcome(spans.run, { outcome: event.outcome, fail });
    if (
      event.type === "run.ended" ||
      event.type === "run.handedOver" ||
      event.type === "run.suspended"
    ) {
      runs.take(event.runId);
      close(spans, at);
    }
  };
  return {
    observe,
    end: () => {
      for (const spans of open) close(spans);
    },
  };
}

function recordOutcome(
  span: Span,
  { outcome, fail }: { outcome: Outcome; fail: (span: Span, message: string) => void },
): void {
  const { status, reason } = outcome;
  span.setAttribute("holdfast.outcome", status);
  if (reason !== null) span.setAttribute("holdfast.reason", reason);
  if (status === "failed") fail(span, reason ?? status);
}
