import type { Link, Span, SpanContext } from "@opentelemetry/api";
import { createBoundedMap } from "../../base/bounded-map.ts";
import type { Observer } from "../ports.ts";
import type { Follower } from "../stream/follower.ts";
import { collectorOf, resourceAttributes } from "./environment.ts";
import type { RunFacts } from "./run-facts.ts";
import type { RunSpans } from "./run-spans.ts";
import type { SpanTools } from "./span-tools.ts";

/** Creates spans for requests and runs, and sends them to the collector at OTEL_EXPORTER_OTLP_ENDPOINT. */
export interface Tracing extends Required<Observer> {
  /** Traces runs from now on, according to OpenTelemetry's GenAI conventions. Returns a function that stops this. */
  follow(follower: Follower, isOwn: (owner: string) => boolean): () => void;
  /** Sends all remaining spans. */
  close(): Promise<void>;
}

/** Maximum number of waiting prompts whose HTTP request is remembered, so that their run's trace can refer to it. */
const maxPrompts = 10_000;

/** Sets up tracing. Returns null if no collector is configured; no OpenTelemetry code is loaded then. */
export async function createTracing(options: {
  environment: NodeJS.ProcessEnv;
  version: string;
  facts: RunFacts;
  onError: (error: unknown) => void;
}): Promise<Tracing | null> {
  const { environment, version, facts, onError } = options;
  const url = collectorOf(environment);
  if (url === null || environment["OTEL_SDK_DISABLED"] === "true") return null;
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const [{ createRequestSpans }, { createRunSpans }, { promptKey }] = await Promise.all([
    import("./request-spans.ts"),
    import("./run-spans.ts"),
    import("./span-tools.ts"),
  ]);
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      "service.name": "holdfast",
      "service.version": version,
      ...resourceAttributes(environment),
    }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  });
  const tracer = provider.getTracer("holdfast", version);
  const contextOf = (parent: Span | SpanContext | null) => {
    if (parent === null) return api.ROOT_CONTEXT;
    return "spanContext" in parent
      ? api.trace.setSpan(api.ROOT_CONTEXT, parent)
      : api.trace.setSpanContext(api.ROOT_CONTEXT, parent);
  };
  const kinds = {
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    internal: api.SpanKind.INTERNAL,
  };
  const tools: SpanTools = {
    start: (name, { parent = null, at, attributes, kind, link = null }) => {
      const links: Link[] = link === null ? [] : [{ context: link }];
      const time = at === undefined ? {} : { startTime: at };
      const settings = { attributes, kind: kinds[kind], links, ...time };
      return tracer.startSpan(name, settings, contextOf(parent));
    },
    fail: (span, message) => {
      span.setStatus({ code: api.SpanStatusCode.ERROR, message });
    },
    traceState: (text) => api.createTraceState(text),
  };
  const requests = createBoundedMap<string, SpanContext>(maxPrompts);
  const requestSpans = createRequestSpans({
    tools,
    onPrompt: (prompt, span) => requests.set(promptKey(prompt), span.spanContext()),
  });
  const takeRequest = (key: string): SpanContext | null => requests.take(key);
  let runs: RunSpans | null = null;
  return {
    ...requestSpans,
    follow: (follower, isOwn) => {
      const spans = createRunSpans({ tools, facts, isOwn, takeRequest, onError });
      runs = spans;
      return follower.listen((event) => spans.observe(event));
    },
    close: async () => {
      await runs?.end();
      await provider.shutdown();
    },
  };
}
