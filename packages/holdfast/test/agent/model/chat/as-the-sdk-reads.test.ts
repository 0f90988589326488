import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import {
  createOpenAICompatible,
  OpenAICompatibleChatLanguageModel,
} from "@ai-sdk/openai-compatible";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import * as fc from "fast-check";
import { openChatModel } from "../../../../src/agent/model/chat/chat-model.ts";
import { serveWeb } from "./web-server.ts";
import type { Seen } from "./web-server.ts";

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "go on" }] }];

test("any answer, however it is split, is parsed as the SDK parses it", async () => {
  await fc.assert(
    fc.asyncProperty(answers, cuts, fc.constantFrom("\n", "\r\n", "\r"), async (said, cut, end) => {
      const chunks = cutUp(eventStream(said, end), cut);
      assert.deepEqual(await read(ours(chunks)), await read(theirs(chunks)));
    }),
    { numRuns: 150 },
  );
});

test("calls are assembled as the SDK assembles them, however they are sent", async () => {
  await fc.assert(
    fc.asyncProperty(wholeCalls, ways, async (calls, way) => {
      const chunks = [eventStream([...inPieces(calls, way), finish("tool_calls")], "\n")];
      const found = await read(ours(chunks));
      assert.deepEqual(found, await read(theirs(chunks)));
      assert.deepEqual(
        found.flatMap((part) => (part.type === "tool-call" ? [part.input] : [])),
        calls.map(({ input }) => input),
      );
    }),
    { numRuns: 150 },
  );
});

test("a piece of a call without index, id and name continues the last call", async () => {
  const chunks = [
    eventStream(
      [
        pieces([{ function: { name: "read", arguments: '{"path":' } }]),
        pieces([{ function: { arguments: '"a"}' } }]),
        pieces([{ function: { name: "read", arguments: '{"path":' } }]),
        pieces([{ function: { arguments: '"b"}' } }]),
        finish("tool_calls"),
      ],
      "\n",
    ),
  ];
  const inputs = (await read(ours(chunks))).flatMap((part) =>
    part.type === "tool-call" ? [part.input] : [],
  );
  assert.deepEqual(inputs, ['{"path":"a"}', '{"path":"b"}']);
});

test("a request equals the SDK's request, except for the user agent", async (t) => {
  const tool = { type: "function", name: "read", inputSchema: { type: "object" } } as const;
  const options = { prompt, tools: [tool], maxOutputTokens: 10 };
  const seen: Seen[] = [];
  const url = await serveWeb(t, (request, response) => {
    seen.push(request);
    response.end(eventStream([finish("stop")], "\n"));
  });
  const settings = {
    baseURL: `${url}/v1/`,
    apiKey: "key",
    headers: { "X-Own": "1", authorization: "Other key" },
  };
  const own = openChatModel({ name: "local", model: "m", settings });
  const sdk = createOpenAICompatible({ name: "local", includeUsage: true, ...settings })("m");
  for (const model of [own, sdk]) await collect((await model.doStream(options)).stream);
  const [first, second] = seen.map(({ method, url: path, headers, body }) => ({
    method,
    path,
    type: headers["content-type"],
    key: headers.authorization,
    own: headers["x-own"],
    body: JSON.parse(body),
  }));
  assert.deepEqual(first, second);
  assert.equal(first?.key, "Other key");
});

// Leave out parts that nothing reads: ids of texts, and parts that only announce others.

type Part = LanguageModelV4StreamPart;

async function read(stream: Promise<AsyncIterable<Part>>): Promise<readonly Plain[]> {
  return (await collect(await stream)).flatMap(plain);
}

async function collect(stream: AsyncIterable<Part>): Promise<readonly Part[]> {
  const parts: Part[] = [];
  try {
    for await (const part of stream) parts.push(part);
  } catch (error) {
    parts.push({ type: "error", error });
  }
  return parts;
}

type Plain = { type: string; input?: string } & Record<string, unknown>;

function plain(part: Part): Plain[] {
  const { type } = part;
  if (type === "text-delta" || type === "reasoning-delta") return [{ type, delta: part.delta }];
  if (/^(?:text|reasoning)-(?:start|end)$/.test(type)) return [{ type }];
  if (type === "error") return [{ type, error: errorName(part.error) }];
  if (type === "tool-call") {
    const { toolCallId, toolName, input, providerMetadata = null } = part;
    const id = toolCallId.startsWith("id-") ? toolCallId : "made up";
    return [{ type, id, toolName, input, providerMetadata }];
  }
  if (type !== "finish") return [];
  const { inputTokens, outputTokens } = part.usage;
  return [{ type, finishReason: part.finishReason, inputTokens, outputTokens }];
}

function errorName(error: unknown): unknown {
  return error instanceof Error ? error.name : error;
}

async function ours(chunks: readonly Uint8Array[]): Promise<AsyncIterable<Part>> {
  const posted = { status: 200, statusText: "", headers: {}, body: Readable.from(chunks) };
  const settings = { baseURL: "http://host/v1", post: async () => posted };
  const model = openChatModel({ name: "local", model: "m", settings });
  return (await model.doStream({ prompt })).stream;
}

async function theirs(chunks: readonly Uint8Array[]): Promise<AsyncIterable<Part>> {
  const model = new OpenAICompatibleChatLanguageModel("m", {
    provider: "local.chat",
    url: () => "http://host/v1",
    headers: () => ({}),
    fetch: async () => answering(chunks),
  });
  return (await model.doStream({ prompt })).stream;
}

function answering(chunks: readonly Uint8Array[]): Response {
  const body = new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function eventStream(events: readonly unknown[], end: string): Uint8Array<ArrayBuffer> {
  const texts = events.map((event) => (typeof event === "string" ? event : JSON.stringify(event)));
  const frames = [...texts, "[DONE]"].map((text) => `: hello${end}data: ${text}${end}${end}`);
  return new TextEncoder().encode(frames.join(""));
}

function cutUp(bytes: Uint8Array, sizes: readonly number[]): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let from = 0;
  for (let index = 0; from < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? bytes.length;
    chunks.push(bytes.subarray(from, from + size));
    from += size;
  }
  return chunks;
}

const cuts = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 });

const words = fc.constantFrom("", "one ", "two\n", "drei für ", "四", "\u2028", '"quoted"');

const deltas = fc.oneof(
  fc.record({ content: words }),
  fc.record({ role: fc.constant("assistant"), content: fc.constant(null) }),
  fc.record({ reasoning_content: words }),
  fc.record({ reasoning: words, content: words }),
  fc.record({ refusal: fc.constantFrom("", "no", null, 5) }),
  fc.record({
    content: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant("text"), text: words }),
        fc.record({
          type: fc.constant("thinking"),
          thinking: fc.array(fc.record({ type: fc.constant("text"), text: words }), {
            maxLength: 2,
          }),
        }),
        fc.record({ type: fc.constant("image") }),
      ),
      { maxLength: 3 },
    ),
  }),
);

const usages = fc.record(
  {
    prompt_tokens: fc.constantFrom(0, 12, null),
    completion_tokens: fc.constantFrom(0, 7),
    prompt_tokens_details: fc.constantFrom(null, {}, { cached_tokens: 5 }),
    completion_tokens_details: fc.constantFrom(null, { reasoning_tokens: 9 }),
  },
  { requiredKeys: [] },
);

const events: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 12, arbitrary: deltas.map((delta) => ({ choices: [{ index: 0, delta }] })) },
  fc
    .constantFrom("stop", "length", "content_filter", "tool_calls", "weird", null)
    .map((reason) => ({ choices: [{ delta: {}, finish_reason: reason }] })),
  usages.map((usage) => ({ choices: [], usage })),
  fc.constantFrom<unknown>(
    "{",
    "3",
    { error: { message: "overloaded", code: 529 } },
    { error: "plain" },
    { type: "ping" },
    { choices: 3 },
    { choices: [3] },
    { choices: [{ delta: 7 }] },
    { choices: [{ delta: null }] },
    { choices: [{ delta: { content: 5 } }] },
    { choices: [{ delta: { reasoning_content: {} } }] },
    { choices: [{ delta: { tool_calls: "x" } }] },
    { choices: [{ delta: { tool_calls: [{ index: 0, function: null }] } }] },
    { choices: [{ delta: {}, finish_reason: 1 }] },
  ),
);

const answers = fc.array(events, { maxLength: 12 });

interface WholeCall {
  readonly name: string;
  readonly input: string;
}

const wholeCalls: fc.Arbitrary<readonly WholeCall[]> = fc.array(
  fc.record({
    name: fc.constantFrom("read", "list"),
    input: fc.constantFrom("{}", '{"path":"a"}', '{"text":"{\\"x\\": [1]}","list":[{}]}'),
  }),
  { minLength: 1, maxLength: 4 },
);

/** How a provider sends calls. */
interface Way {
  readonly index: "counted" | "zero" | "none";
  readonly ids: "first" | "every" | "none";
  readonly names: "first" | "every" | "second";
  readonly length: number;
  readonly together: boolean;
}

const ways: fc.Arbitrary<Way> = fc
  .record({
    index: fc.constantFrom("counted", "zero", "none"),
    ids: fc.constantFrom("first", "every", "none"),
    names: fc.constantFrom("first", "every", "second"),
    length: fc.constantFrom(1, 4, 100),
    together: fc.boolean(),
  })
  .map(sensible);

/**
 * Changes a way of sending pieces so that each piece can be assigned to its call. Otherwise no reader could join the
 * pieces.
 */
function sensible(way: Way): Way {
  const { index, ids, names } = way;
  if (index === "counted") return { ...way, names: ids === "none" ? "first" : names };
  const sent = { ...way, together: false, names: names === "second" ? "first" : names } as const;
  if (index === "zero") return { ...sent, ids: "every" };
  return ids === "every" ? sent : { ...sent, length: 100 };
}

function inPieces(calls: readonly WholeCall[], way: Way): readonly object[] {
  const cut = calls.map(({ name, input }, place) => {
    const inputs = input.match(new RegExp(`.{1,${way.length}}`, "g")) ?? [];
    const parts = way.names === "second" ? [...inputs, ""] : inputs;
    return parts.map((piece, number) => {
      const named = way.names === "second" ? parts.length - 1 : 0;
      const isNamed = way.names === "every" || number === named;
      return {
        ...(way.index === "none" ? {} : { index: way.index === "zero" ? 0 : place }),
        ...(way.ids === "every" || (way.ids === "first" && number === 0)
          ? { id: `id-${place}` }
          : {}),
        function: { ...(isNamed ? { name } : {}), arguments: piece },
        ...(place === 0 && isNamed
          ? { extra_content: { google: { thought_signature: "sealed" } } }
          : {}),
      };
    });
  });
  if (!way.together) return cut.flat().map((piece) => pieces([piece]));
  const longest = Math.max(...cut.map((own) => own.length));
  return Array.from({ length: longest }, (_, number) =>
    pieces(cut.flatMap((own) => own.slice(number, number + 1))),
  );
}

function pieces(toolCalls: readonly object[]): object {
  return { choices: [{ delta: { tool_calls: toolCalls } }] };
}

function finish(reason: string): object {
  return { choices: [{ delta: {}, finish_reason: reason }] };
}
