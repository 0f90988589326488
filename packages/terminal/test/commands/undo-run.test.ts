import assert from "node:assert/strict";
import { test } from "node:test";
import type { RevertPlan } from "@holdfast/sdk";
import { emptyConversation } from "@holdfast/model/conversation.ts";
import type { RunView } from "@holdfast/model/conversation.ts";
import { waitFor } from "../../../holdfast/test/support/wait-for.ts";
import { undoRun } from "../../src/commands/undo-run.ts";
import { openClient, showSession } from "../support/client.ts";

const diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-two\n+one\n";
const plan: RevertPlan = {
  files: [
    { path: "/srv/shop/a.txt", removes: false, conflict: null, diff },
    { path: "/srv/shop/b.txt", removes: false, conflict: "changed by others since", diff },
  ],
  unknown: ["shell: make install"],
  background: [],
};

/** Opens /undo, chooses the only run, and presses the keys in the confirmation. */
async function undo(
  t: Parameters<typeof openClient>[0],
  { keys, result }: { keys: readonly string[]; result: unknown },
) {
  const { client, text } = openClient(t);
  const conversation = emptyConversation();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the list reads only these fields
  const run = {
    runId: "run",
    promptIds: [],
    startedAt: 0,
    endedAt: 1,
    hasCalls: true,
  } as unknown as RunView;
  conversation.runs.set("run", run);
  const requests: unknown[] = [];
  const handle = {
    planRevert: async () => plan,
    revert: async (runId: string, input: unknown) => {
      requests.push([runId, input]);
      return { result };
    },
  };
  showSession(client, handle, { conversation });
  const press = (key: string): void => {
    if (client.overlay?.kind === "picker") client.overlay.picker.take(key);
  };
  await undoRun(client);
  press("\r");
  await waitFor(() => client.overlay, { describe: "the confirmation" });
  for (const key of keys) press(key);
  await waitFor(() => /Undone|Not undone: /.test(text()), { describe: "the result" });
  return { requests, text: text() };
}

test("an undo of the files without conflicts names these files, and shows the diff and what is not undone", async (t) => {
  const result = { status: "completed", value: { done: ["a.txt"], problem: null, left: [] } };
  const { requests, text } = await undo(t, { keys: ["\r"], result });
  assert.deepEqual(requests, [["run", { files: ["/srv/shop/a.txt"] }]]);
  assert.match(text, /Undone: a\.txt/);
  assert.match(text, /1 - two[^]*b\.txt[^]*! changed by others since/);
  assert.match(text, /does not know which files[^]*shell: make install/);
});

test("an undo that the server refuses is reported as not undone", async (t) => {
  const result = { status: "failed", code: "changedSince", message: "b.txt: changed since" };
  const { requests, text } = await undo(t, { keys: ["\u001b[B", "\r"], result });
  assert.deepEqual(requests, [["run", { overwrite: true }]]);
  assert.match(text, /Not undone: b\.txt: changed since/);
  assert.doesNotMatch(text, /Undone:/);
});

test("an undo that stops at a file names the restored files and the problem", async (t) => {
  const problem = { path: "b.txt", message: "no space left" };
  const value = { done: ["a.txt"], problem, left: ["b.txt", "c.txt"] };
  const { text } = await undo(t, { keys: ["\r"], result: { status: "completed", value } });
  assert.match(text, /Undone: a\.txt[^]*Not undone: b\.txt: no space left; 2 files are unchanged/);
});
