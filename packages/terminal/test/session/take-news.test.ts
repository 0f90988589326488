import assert from "node:assert/strict";
import { test } from "node:test";
import type { Holdfast, WireEvent } from "@holdfast/sdk";
import { waitFor } from "../../../holdfast/test/support/wait-for.ts";
import { takeNews } from "../../src/session/take-news.ts";
import { statusOf } from "../../src/layout.ts";
import { openClient } from "../support/client.ts";

test("each start of a run reads the default model again, because a provider may have been connected", async (t) => {
  const { client } = openClient(t);
  let reads = 0;
  const get = async (): Promise<object> => {
    reads += 1;
    return { model: reads === 1 ? null : "acme/large", demo: false, agents: [], commands: [] };
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client reads only these fields
  client.holdfast = { workspaces: { get }, session: () => ({}) } as unknown as Holdfast;
  const take = (type: string): void =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    takeNews(client, { type, sessionId: "s" } as unknown as WireEvent);
  take("step.answered");
  take("run.started");
  await waitFor(() => statusOf(client, 80), {
    describe: "a status line without a model",
    until: (text) => text.includes("no model: run holdfast connect"),
  });
  take("run.started");
  await waitFor(() => statusOf(client, 80), {
    describe: "a status line with the new model",
    until: (text) => text.includes("acme/large"),
  });
  assert.equal(reads, 2);
});
