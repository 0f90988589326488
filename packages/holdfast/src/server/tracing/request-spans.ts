import type { Span, SpanContext } from "@opentelemetry/api";
import type { Observer } from "../ports.ts";
import type { SpanTools } from "./span-tools.ts";

/**
 * Creates a span for each request. The span continues the sender's trace only if the sender has a token: an unknown
 * sender must not write into other traces.
 */
export function createRequestSpans(options: {
  tools: SpanTools;
  /** Called with each prompt that a request has sent, before the prompt's run can start. */
  onPrompt: (prompt: { sessionId: string; promptId: string }, span: Span) => void;
}): Required<Observer> {
  const { tools, onPrompt } = options;
  const open = new WeakMap<Request, Span>();
  const begin = (about: Begun, parent: SpanContext | null): Span => {
    const { method, route, duration } = about;
    return tools.start(`${method} ${route}`, {
      kind: "server",
      at: Date.now() - duration * 1000,
      attributes: { "http.request.method": method, "http.route": route },
      parent,
    });
  };
  return {
    admitted: (about) => {
      open.set(about.request, begin(about, senderOf(about.request, tools)));
    },
    sent: (request, prompt) => {
      const span = open.get(request);
      if (span !== undefined) onPrompt(prompt, span);
    },
    answered: (about) => {
      const { status, code, actor, requestId, path } = about;
      const span = open.get(about.request) ?? begin(about, null);
      span.setAttributes({
        "url.path": path,
        "http.response.status_code": status,
        "holdfast.request.id": requestId,
        ...(actor === null ? {} : { "holdfast.actor": actor.id }),
        ...(code === null ? {} : { "error.type": code }),
      });
      if (status >= 500) tools.fail(span, code ?? String(status));
      span.end();
    },
  };
}

interface Begun {
  readonly method: string;
  readonly route: string;
  /** Seconds since the request arrived. */
  readonly duration: number;
}

/** Parses the header `traceparent` (W3C Trace Context); null if it is missing or invalid. */
function senderOf(request: Request, tools: SpanTools): SpanContext | null {
  const [, version, traceId = "", spanId = "", flags = ""] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/.exec(
      request.headers.get("traceparent") ?? "",
    ) ?? [];
  const isValid = version !== undefined && version !== "ff" && /[^0]/.test(traceId);
  if (!isValid || !/[^0]/.test(spanId)) return null;
  const state = request.headers.get("tracestate");
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(state === null ? {} : { traceState: tools.traceState(state) }),
  };
}
