import assert from "node:assert/strict";
import { test } from "node:test";
import { openModel } from "../../../../src/agent/model/providers.ts";
import type { Provider } from "../../../../src/agent/model/known-providers.ts";
import { providerAt, serve } from "./ask.ts";

/** The smallest valid PNG. */
const image = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("an image reaches the model over every platform", async (t) => {
  const { root, calls, requests } = await serve(t, ({ url }) =>
    url === "/copilot_internal/v2/token" ? { status: 404 } : null,
  );
  const at = (name: string, path: string): Provider =>
    providerAt({ name, baseUrl: `${root}${path}`, key: "k" });
  const vertex = at("vertex", "/v1beta1/projects/p/locations/l");
  const cases: readonly (readonly [Provider, string])[] = [
    [at("azure", ""), "gpt-5"],
    [at("azure", "?api-version=2024-10-21"), "gpt-5"],
    [at("bedrock", ""), "anthropic.claude-sonnet-4-5-20250929-v1:0"],
    [vertex, "gemini-2.5-pro"],
    [vertex, "claude-sonnet-4-5@20250929"],
    [at("copilot", ""), "claude-sonnet-4.5"],
  ];
  for (const [provider, model] of cases) {
    const parts = openModel([provider], `${provider.name}/${model}`).stream({
      system: "Be brief.",
      messages: [{ role: "user", text: "What is it?", files: [file] }],
      tools: [],
      file: async () => image,
      signal: AbortSignal.timeout(60_000),
      stallAfter: 60_000,
      endAfter: 60_000,
    });
    for await (const _ of parts);
    const [heard] = calls.at(-1)?.messages[0]?.files ?? [];
    const expected = { mediaType: "image/png", content: image.toString("base64"), name: null };
    assert.deepEqual(heard, expected, `${provider.name}/${model}`);
  }
  // GitHub rejects images without this header.
  assert.equal(requests.at(-1)?.headers["copilot-vision-request"], "true");
});

const file = { hash: "h", name: null, mediaType: "image/png", bytes: image.length };
