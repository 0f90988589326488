import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  RawAnswer,
  RawRequest,
} from "../../../../../../gauntlet/model-server/model-server.ts";
import { fields } from "../../../../../../gauntlet/model-server/protocol.ts";
import { azureAddress } from "../../../../src/agent/model/platform-addresses.ts";
import { ask, providerAt, serve } from "./ask.ts";

const key = "0123456789abcdef0123456789abcdef";

/** Azure: a key in its own header, and a version for the older URLs. */
function azure({ url, headers }: RawRequest): RawAnswer | null {
  const { pathname, searchParams } = new URL(url, "http://azure");
  const isV1 = pathname === "/openai/v1/responses";
  const isOld = /^\/openai\/deployments\/[^/]+\/chat\/completions$/.test(pathname);
  if (!isV1 && !(isOld && searchParams.get("api-version") === "2024-10-21")) {
    return { status: 404, body: { error: { code: "404", message: "Resource not found" } } };
  }
  if (headers["api-key"] === key && headers.authorization === undefined) return null;
  const message = "Access denied due to invalid subscription key or wrong API endpoint.";
  return { status: 401, body: { error: { code: "401", message } } };
}

test("without a version the v1 API is used, with the deployment as the model", async (t) => {
  const server = await serve(t, azure);
  for (const path of ["", "/", "/openai", "/openai/v1", "/openai/v1/"]) {
    const provider = providerAt({ name: "azure", baseUrl: `${server.root}${path}`, key });
    assert.equal(await ask(provider, { model: "my-gpt" }), "Hello.");
  }
  assert.equal(server.calls.length, 5);
  const { protocol, model, body } = server.calls[0] ?? {};
  assert.deepEqual([protocol, model, fields(body)["store"]], ["openaiResponses", "my-gpt", false]);
});

test("with a version the URL names the deployment and the version", async (t) => {
  const server = await serve(t, azure);
  const baseUrl = azureAddress({
    AZURE_OPENAI_ENDPOINT: `${server.root}/`,
    OPENAI_API_VERSION: "2024-10-21",
  });
  const provider = providerAt({ name: "azure", baseUrl: baseUrl ?? "", key });
  assert.equal(await ask(provider, { model: "my-gpt" }), "Hello.");
  assert.equal(
    server.requests[0]?.url,
    "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21",
  );
  assert.equal(server.calls[0]?.model, "my-gpt");
});

test("a token of Entra ID is sent as a bearer token", async (t) => {
  const server = await serve(t, ({ headers }) =>
    headers.authorization === "Bearer entra" && headers["api-key"] === undefined
      ? null
      : { status: 401 },
  );
  const provider = providerAt({ name: "azure", baseUrl: server.root, key: "entra", bearer: true });
  assert.equal(await ask(provider), "Hello.");
});

test("a wrong key is rejected with Azure's message, in both forms", async (t) => {
  const server = await serve(t, azure);
  for (const query of ["", "?api-version=2024-10-21"]) {
    const provider = providerAt({ name: "azure", baseUrl: `${server.root}/${query}`, key: "x" });
    assert.match(
      await ask(provider),
      /^badKey: azure: Access denied due to invalid subscription key/,
    );
  }
});
