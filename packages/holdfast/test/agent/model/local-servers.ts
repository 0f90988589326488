import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TestContext } from "node:test";

/** Answers of a server by method and path. A function gets the body. */
export type Routes = Readonly<Record<string, unknown>>;

export interface LocalServer {
  /** Address of the OpenAI-compatible API. */
  readonly baseUrl: string;
  /** Method and path of each request so far. */
  readonly requests: readonly string[];
}

/** A server that only describes its models, with the fields of the real one. */
export async function startServer(t: TestContext, routes: Routes): Promise<LocalServer> {
  const requests: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const key = `${request.method} ${request.url}`;
    requests.push(key);
    const body = await textOf(request);
    const route = routes[key];
    const found: unknown = typeof route === "function" ? route(JSON.parse(body)) : route;
    response.writeHead(found === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(found ?? { error: "not found" }));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return { baseUrl: `http://127.0.0.1:${address.port}/v1`, requests };
}

/** Ollama with one model that is trained for 40,960 tokens and loaded with another number. */
export function ollama(options: {
  readonly loadedWith?: number;
  readonly isLoaded?: boolean;
  readonly parameters?: string;
  readonly capabilities?: readonly string[];
}): Routes {
  const { loadedWith, parameters = "", capabilities = ["completion", "tools"] } = options;
  let { isLoaded = false } = options;
  return {
    "GET /v1/models": {
      object: "list",
      data: [{ id: "qwen3:8b", object: "model", created: 1, owned_by: "library" }],
    },
    "POST /api/show": ({ model }: { model: string }) =>
      model === "qwen3:8b"
        ? {
            parameters,
            capabilities,
            model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
          }
        : undefined,
    get "GET /api/ps"(): unknown {
      const entry = { name: "qwen3:8b", model: "qwen3:8b", size: 1, context_length: loadedWith };
      return { models: isLoaded ? [entry] : [] };
    },
    "POST /api/generate": () => {
      isLoaded = true;
      return { model: "qwen3:8b", response: "", done: true, done_reason: "load" };
    },
  };
}

export const vllm: Routes = {
  "GET /v1/models": {
    object: "list",
    data: [
      {
        id: "coder",
        object: "model",
        created: 1,
        owned_by: "vllm",
        root: "/models/coder",
        parent: null,
        max_model_len: 16_384,
      },
    ],
  },
};

export const openRouter: Routes = {
  "GET /v1/models": {
    data: [
      {
        id: "acme/rocket-2",
        name: "Acme: Rocket 2",
        created: 1_790_000_000,
        context_length: 262_144,
        architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
        pricing: { prompt: "0.0000003", completion: "0.0000012", input_cache_read: "0.00000003" },
        top_provider: { context_length: 131_072, max_completion_tokens: 32_768 },
        supported_parameters: ["max_tokens", "tools"],
        expiration_date: "2026-12-24",
      },
      {
        id: "acme/varies",
        context_length: 1_000,
        architecture: { input_modalities: ["text"] },
        pricing: { prompt: "-1", completion: "-1" },
        supported_parameters: ["max_tokens"],
      },
    ],
  },
};

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
