import type { Attributes, Span, SpanContext, TraceState } from "@opentelemetry/api";

/** Parts of OpenTelemetry that are loaded only if a collector is configured. */
export interface SpanTools {
  start(
    name: string,
    options: {
      readonly kind: "server" | "client" | "internal";
      readonly attributes: Attributes;
      /** Null: a new trace. */
      readonly parent?: Span | SpanContext | null;
      /** Milliseconds since 1970; now by default. */
      readonly at?: number;
      /** A span of another trace that caused this one. */
      readonly link?: SpanContext | null;
    },
  ): Span;
  /** Marks the span as failed. */
  fail(span: Span, message: string): void;
  traceState(text: string): TraceState;
}

/** Identifies a prompt among all sessions. */
export function promptKey(prompt: { sessionId: string; promptId: string }): string {
  return `${prompt.sessionId} ${prompt.promptId}`;
}
