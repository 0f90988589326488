import assert from "node:assert/strict";
import { test } from "node:test";
import { openModel } from "../../../src/agent/model/providers.ts";
import { openProvider } from "../../../src/workspace/load/provider-resource.ts";
import { createStatedFacts } from "../../../src/workspace/load/stated-facts.ts";
import { startServer, vllm } from "../../agent/model/local-servers.ts";

test("a model has the window that its server states, and the server is asked once", async (t) => {
  const { baseUrl, requests } = await startServer(t, vllm);
  const provider = { name: "local", key: null, baseUrl, defaultModel: null };
  const resource = openProvider(provider, { openModel, cancelTime: 20 });
  const [model, same] = await Promise.all([resource.model("coder"), resource.model("coder")]);
  assert.deepEqual(model.limits, { context: 16_384, output: 8_192 });
  assert.equal(same, model);
  assert.equal(await resource.model("coder"), model);
  assert.deepEqual(requests, ["GET /v1/models"]);
});

test("a server is asked again after a while, and sooner if it did not answer", async (t) => {
  let now = 0;
  const { baseUrl, requests } = await startServer(t, vllm);
  const provider = { name: "local", key: null, baseUrl, defaultModel: null };
  const stated = createStatedFacts(provider, { fetch, now: () => now });
  const askedAt = async (minutes: number, model: string): Promise<number> => {
    now = minutes * 60_000;
    await stated(model);
    return requests.length;
  };
  assert.deepEqual(
    [
      await askedAt(0, "coder"),
      await askedAt(9, "coder"),
      await askedAt(11, "coder"),
      await askedAt(11, "unlisted"),
      await askedAt(11.5, "unlisted"),
      await askedAt(13, "unlisted"),
    ],
    [1, 1, 2, 3, 3, 4],
  );
});
