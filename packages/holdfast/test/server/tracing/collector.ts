import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { listen } from "../stream/listen.ts";

/** An OTLP endpoint that keeps the spans it gets. */
export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Attributes of the resource that sent the spans. */
  resource(): Record<string, unknown>;
}

export interface CollectedSpan {
  readonly name: string;
  /** 1: internal, 2: server, 3: client. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly Attribute[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

interface Attribute {
  readonly key: string;
  readonly value: Value;
}

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly Value[] };
}

interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[];
  }[];
}

export async function startCollector(context: TestContext): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  let resource: Record<string, unknown> = {};
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    assert.equal(request.url, "/v1/traces");
    const { resourceSpans }: Exported = JSON.parse(await text(request));
    for (const exported of resourceSpans) {
      resource = recordOf(exported.resource.attributes);
      for (const scope of exported.scopeSpans) spans.push(...scope.spans);
    }
    response.writeHead(200, { "content-type": "application/json" });
    response.end("{}");
  };
  const port = await listen(context, (request, response) => void take(request, response));
  return { url: `http://127.0.0.1:${port}`, spans, resource: () => resource };
}

export function attributesOf({ attributes }: CollectedSpan): Record<string, unknown> {
  return recordOf(attributes);
}

function recordOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function plain({ stringValue, intValue, doubleValue, boolValue, arrayValue }: Value): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(plain);
  return stringValue ?? intValue ?? doubleValue ?? boolValue;
}
