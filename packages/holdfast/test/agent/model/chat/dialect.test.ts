import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { openChatModel } from "../../../../src/agent/model/chat/chat-model.ts";
import type { Post } from "../../../../src/agent/model/chat/post.ts";

type Level = NonNullable<LanguageModelV4CallOptions["reasoning"]>;

interface Server {
  readonly name: string;
  readonly url: string;
  readonly model: string;
}

const servers: Readonly<Record<string, Server>> = {
  openai: { name: "own", url: "https://api.openai.com/v1", model: "gpt-5.4" },
  openrouter: { name: "own", url: "https://openrouter.ai/api/v1", model: "openai/gpt-5.4" },
  deepseek: { name: "deepseek", url: "https://api.deepseek.com", model: "deepseek-chat" },
  zai: { name: "zai", url: "https://api.z.ai/api/paas/v4", model: "glm-5" },
  qwen: { name: "qwen", url: "https://dashscope.aliyuncs.com/v1", model: "qwen3" },
  together: { name: "together", url: "https://api.together.xyz/v1", model: "any" },
  xai: { name: "xai", url: "https://api.x.ai/v1", model: "grok-4" },
  vllm: { name: "gpu", url: "http://192.168.1.7:8000/v1", model: "qwen3" },
  other: { name: "groq", url: "https://api.groq.com/openai/v1", model: "gpt-oss-120b" },
};

test("each server gets the request for reasoning in its own format", async () => {
  const asked: Record<string, unknown> = {};
  for (const [name, server] of Object.entries(servers)) {
    asked[name] = await Promise.all(
      (["low", "none", "provider-default"] as const).map((level) => fieldsFor(server, level)),
    );
  }
  assert.deepEqual(asked, {
    openai: [{ reasoning_effort: "low" }, { reasoning_effort: "none" }, {}],
    openrouter: [
      { reasoning: { effort: "low" } },
      { reasoning: { effort: "none" } },
      { reasoning: { enabled: true } },
    ],
    deepseek: [
      { ...onOff("enabled"), reasoning_effort: "low" },
      onOff("disabled"),
      onOff("enabled"),
    ],
    zai: [onOff("enabled"), onOff("disabled"), onOff("enabled")],
    qwen: [{ enable_thinking: true }, { enable_thinking: false }, { enable_thinking: true }],
    together: [
      { reasoning: { enabled: true } },
      { reasoning: { enabled: false } },
      { reasoning: { enabled: true } },
    ],
    xai: [{}, {}, {}],
    vllm: [
      { ...template(true), reasoning_effort: "low" },
      { ...template(false), reasoning_effort: "none" },
      template(true),
    ],
    other: [{ reasoning_effort: "low" }, { reasoning_effort: "none" }, {}],
  });
});

test("OpenAI's reasoning models get max_completion_tokens, everyone else max_tokens", async () => {
  const limits: Record<string, unknown> = {};
  for (const model of ["o3", "o4-mini", "gpt-5", "gpt-6-sol", "gpt-4.1", "gpt-oss-20b", "qwen3"]) {
    const { requests, post } = recorder(200);
    await call({ name: "own", url: "https://llm.example.com/v1", model }, { post });
    const [{ max_tokens: old, max_completion_tokens: current } = {}] = requests;
    limits[model] = { old, current };
  }
  const current = { old: undefined, current: 500 };
  const old = { old: 500, current: undefined };
  assert.deepEqual(limits, {
    o3: current,
    "o4-mini": current,
    "gpt-5": current,
    "gpt-6-sol": current,
    "gpt-4.1": old,
    "gpt-oss-20b": old,
    qwen3: old,
  });
});

test("if a server rejects max_tokens, it gets max_completion_tokens from then on", async () => {
  const requests: Record<string, unknown>[] = [];
  const post: Post = (posting) => {
    const body: Record<string, unknown> = JSON.parse(posting.body);
    requests.push(body);
    const message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
    return Promise.resolve("max_tokens" in body ? refusal(message) : answer());
  };
  const server = { name: "own", url: "https://llm.example.com/v1", model: "deployment-7" };
  const model = open(server, post);
  for (const _ of [1, 2]) await drain(model, {});
  assert.deepEqual(
    requests.map((body) => "max_tokens" in body),
    [true, false, false],
  );
});

test("only OpenAI gets a cache key", async () => {
  const keys: Record<string, unknown> = {};
  for (const name of ["openai", "openrouter", "vllm"]) {
    const { requests, post } = recorder(200);
    const server = servers[name];
    assert(server);
    await call(server, {
      post,
      options: { providerOptions: { openai: { promptCacheKey: "k1" } } },
    });
    keys[name] = requests[0]?.["prompt_cache_key"];
  }
  assert.deepEqual(keys, { openai: "k1", openrouter: undefined, vllm: undefined });
});

function onOff(type: string): object {
  return { thinking: { type } };
}

function template(enabled: boolean): object {
  return { chat_template_kwargs: { enable_thinking: enabled } };
}

async function fieldsFor(server: Server, reasoning: Level): Promise<object> {
  const { requests, post } = recorder(200);
  await call(server, { post, options: { reasoning } });
  const names = [
    "reasoning",
    "reasoning_effort",
    "thinking",
    "enable_thinking",
    "chat_template_kwargs",
  ];
  return Object.fromEntries(
    Object.entries(requests[0] ?? {}).filter(([name]) => names.includes(name)),
  );
}

type Options = Partial<LanguageModelV4CallOptions>;

async function call(
  server: Server,
  { post, options = {} }: { post: Post; options?: Options },
): Promise<void> {
  await drain(open(server, post), options);
}

function open({ name, url, model }: Server, post: Post): ReturnType<typeof openChatModel> {
  return openChatModel({ name, model, settings: { baseURL: url, post } });
}

async function drain(model: ReturnType<typeof openChatModel>, options: Options): Promise<void> {
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "go on" }] }];
  const { stream } = await model.doStream({ prompt, maxOutputTokens: 500, ...options });
  for await (const _ of stream);
}

function recorder(status: number): { requests: Record<string, unknown>[]; post: Post } {
  const requests: Record<string, unknown>[] = [];
  const post: Post = ({ body }) => {
    requests.push(JSON.parse(body));
    return Promise.resolve({ ...answer(), status });
  };
  return { requests, post };
}

function answer(): Awaited<ReturnType<Post>> {
  const frame = 'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n';
  return { status: 200, statusText: "", headers: {}, body: Readable.from([Buffer.from(frame)]) };
}

function refusal(message: string): Awaited<ReturnType<Post>> {
  const body = Buffer.from(JSON.stringify({ error: { message } }));
  return { status: 400, statusText: "", headers: {}, body: Readable.from([body]) };
}
