import assert from "node:assert/strict";
import { test } from "node:test";
import { askSubject } from "@holdfast/model/ask-extra.ts";
import type { AgentContext } from "../../../src/agent/agent.ts";
import type { Permissions } from "../../../src/agent/coding/policy.ts";
import { resultOf } from "../../../src/agent/hosted/call-view.ts";
import { askFor } from "../../../src/agent/hosted/permission-ask.ts";
import type { CallUpdate } from "../../../src/agent/hosted/updates.ts";
import type { PermissionRequest } from "../../../src/agent/tools/tool.ts";

const two: CallUpdate = {
  id: "1",
  kind: "edit",
  diffs: [
    { path: "/project/a.txt", before: "old\n", after: "new\n" },
    { path: "/project/b\n.txt", before: null, after: "one\ntwo\n" },
  ],
};

test("the ask of a hosted agent contains the diff of all files with its counts", async () => {
  assert.deepEqual(await asked(two), {
    askId: "call:permission-1",
    callId: "call",
    question: "May stub change a.txt?",
    extra: {
      permission: {
        action: "change",
        subject: "a.txt",
        preview:
          "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-old\n+new\n" +
          '--- /dev/null\n+++ b/"b\\n.txt"\n@@ -0,0 +1,2 @@\n+one\n+two\n',
        change: { added: 3, removed: 1, omitted: 0 },
      },
      agent: "stub",
      tool: "stub",
      remembers: [],
    },
  });
});

test("a long diff of a hosted agent is cut in its ask, and stored whole", async () => {
  const after = "a changed line\n".repeat(5_000);
  const { extra, preview = "" } = await asked({
    id: "1",
    kind: "edit",
    diffs: [{ path: "/project/a.txt", before: null, after }],
  });
  const { preview: head, change } = askSubject(extra);
  assert.ok(head !== null && head.length <= 20_000);
  const lines = head.split("\n").length - 1;
  assert.deepEqual(change, { added: 5_000, removed: 0, omitted: 5_003 - lines });
  assert.equal(preview.split("\n").length - 1, 5_003);
});

test("the ask for a command shows the command as text, even if the agent adds a diff", async () => {
  const { extra } = await asked({ ...two, kind: "execute", input: { command: "rm b" } });
  const { preview, change } = askSubject(extra);
  assert.match(preview ?? "", /^rm b\n\n--- a\/a\.txt\n/);
  assert.equal(change, null);
});

test("the result of a call has the counts of its diff", () => {
  assert.deepEqual(resultOf(two, "/project").extra?.change, { added: 3, removed: 1 });
});

test("a rule that allows a command or a read does not allow the changes of its call", async () => {
  const one = { ...two, diffs: two.diffs?.slice(0, 1) ?? [] };
  const command = await asked(
    { ...one, kind: "execute", input: { command: "ls" } },
    asksForChanges,
  );
  assert.equal(command.question, "May stub run ls?");
  const read = await asked({ ...one, kind: "read" }, asksForChanges);
  assert.equal(read.question, "May stub read a.txt?");
});

test("a rule that allows the first file of a call does not allow the others", async () => {
  const ask = await asked(two, ({ subject }) => (subject === "a.txt" ? "allow" : "ask"));
  assert.equal(ask.question, "May stub change a.txt?");
});

test("the question names the files of a call that its diff does not show", async () => {
  const paths = ["/project/a.txt", "/project/moved\n.txt"];
  const ask = await asked({ ...two, paths });
  assert.equal(ask.question, 'May stub change a.txt?\nOther files of this call: "moved\\n.txt"');
});

/** Returns the ask for a call that no rule decides. */
async function asked(
  known: CallUpdate,
  decide: (request: PermissionRequest) => "allow" | "ask" = () => "ask",
): Promise<Parameters<AgentContext["ask"]>[0]> {
  const asks: Parameters<AgentContext["ask"]>[0][] = [];
  const context: Pick<AgentContext, "directory" | "mode" | "ask"> = {
    directory: "/project",
    mode: () => Promise.resolve("ask"),
    ask: (ask) => {
      asks.push(ask);
      return Promise.resolve({ verdict: "deny", text: null, remember: null });
    },
  };
  const permissions: Permissions = {
    decide,
    warning: () => null,
    noted: () => {},
    reload: () => Promise.resolve(),
    rememberable: () => ({ rules: [], objection: null }),
    remember: () => Promise.resolve(null),
  };
  const call = { callId: "call", number: 1, started: false, known };
  const found = await askFor(call, { context, permissions, agent: "stub" });
  assert.equal(found.type, "asked");
  if (found.type === "asked") await found.answer();
  const [ask] = asks;
  assert(ask !== undefined);
  return ask;
}

function asksForChanges({ action }: PermissionRequest): "allow" | "ask" {
  return action === "change" ? "ask" : "allow";
}
