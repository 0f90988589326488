import type { Attributes, Span, SpanContext, TraceState } from "@opentelemetry/api";

/** Functions that use OpenTelemetry. It is loaded only if a collector is configured. */
export interface SpanTools {
  start(
    name: string,
    options: {
      readonly kind: "server" | "client" | "internal";
      readonly attributes: Attributes;
      /** Parent span; null or omitted: the span starts a new trace. */
      readonly parent?: Span | SpanContext | null;
      /** Start time in milliseconds since 1970; omitted: now. */
      readonly at?: number;
      /** A span of another trace that caused this one. */
      readonly link?: SpanContext | null;
    },
  ): Span;
  /** Marks the span as failed. */
  fail(span: Span, message: string): void;
  traceState(text: string): TraceState;
}

/** Builds a key that identifies a prompt among all sessions. */
export function promptKey(prompt: { sessionId: string; promptId: string }): string {
  return `${prompt.sessionId} ${prompt.promptId}`;
}
