import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { startModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import { AgentFailure } from "../../../src/agent/agent.ts";
import type { Model } from "../../../src/agent/model/model.ts";
import { openModel } from "../../../src/agent/model/providers.ts";
import { openProvider } from "../../../src/workspace/load/provider-resource.ts";

test("M5 a revoked provider aborts running requests and sends no more", async (t) => {
  const never = new Promise<void>(() => {});
  const server = await startModelServer(() => ({ parts: [{ text: "One " }, { wait: never }] }));
  t.after(() => server.close());
  const baseUrl = server.addresses.openaiChat;
  const resource = openProvider(
    { name: "local", key: "sk-0123456789abcdef", baseUrl, defaultModel: null },
    { openModel, cancelTime: 20 },
  );
  const model = await resource.model("test");
  assert.equal(await resource.model("test"), model);
  const { signal } = new AbortController();
  const cut = listen(model, signal, () => resource.revoke());
  await assert.rejects(cut, isGone);
  const [call] = server.calls;
  await waitFor(() => call?.gone.aborted !== false, { describe: "a call that is cut off" });
  await assert.rejects(listen(model, signal), isGone);
  // A run that is cancelled meanwhile ends by its cancel.
  const cancelled = new Error("cancelled");
  await assert.rejects(listen(model, AbortSignal.abort(cancelled)), cancelled);
  await assert.rejects(resource.model("other"), isGone);
  assert.equal(server.calls.length, 1);
});

async function listen(model: Model, signal: AbortSignal, onWord?: () => void): Promise<void> {
  const parts = model.stream({
    system: "",
    messages: [{ role: "user", text: "Go on", files: [] }],
    tools: [],
    file: async () => null,
    signal,
    stallAfter: 5_000,
    endAfter: 5_000,
  });
  for await (const _ of parts) onWord?.();
}

function isGone(error: unknown): boolean {
  return (
    error instanceof AgentFailure &&
    error.reason === "modelGone" &&
    error.hold === null &&
    error.message ===
      "The provider local was disconnected. Connect it again or choose another model."
  );
}
