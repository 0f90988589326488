import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import type { ModelCall } from "../../../../../gauntlet/model-server/script.ts";
import { openWorkspaceFixture } from "./workspace-fixture.ts";

const allowed = [
  { action: "change", pattern: "**", effect: "allow" },
  { action: "run", pattern: "*", effect: "allow" },
];

test("a hook before a tool that fails, hangs or is missing denies the call, and the model gets the reason", async (t) => {
  const calls = ["bad", "slow", "gone", "fine"].map((name) => ({
    name: "write",
    input: { path: `${name}.txt`, content: name },
  }));
  const hook = `grep -q '"path":"bad' && { echo "not bad.txt"; exit 1; }; true`;
  const fixture = await openWorkspaceFixture(t, {
    connected: true,
    script: inOrder(asks(...calls), says("So be it.")),
    files: {
      "config/holdfast/config.jsonc": {
        model: "local/test",
        permissions: allowed,
        hooks: {
          beforeTool: [
            { command: hook, match: "wr*" },
            { command: "grep -q slow && sleep 60; true", timeout: "600ms" },
            { command: "grep -q gone && exec /no/such/program; true" },
            { command: "exit 1", match: "read" },
          ],
          afterTool: [{ command: `echo "looked at it"` }],
        },
      },
    },
  });
  await fixture.send("calls", { text: "Write" });
  assert.equal((await fixture.ended("calls")).ended, "completed");
  const written = calls.filter(({ input }) => existsSync(join(fixture.directory, input.path)));
  assert.deepEqual(
    written.map(({ input }) => input.content),
    ["fine"],
  );
  const [bad = "", slow = "", gone = "", fine = ""] = resultsIn(fixture.server.calls[1]);
  assert.equal(bad, "A hook denied this call (it exited with code 1).\nnot bad.txt");
  assert.equal(slow, "A hook denied this call (it timed out after 600 ms).");
  assert.match(gone, /^A hook denied this call \(it exited with code 12\d\)\./);
  assert.match(fine, /\n\[output of a hook\]\nlooked at it$/);
});

test("prompt hooks get each prompt once as JSON, and nothing waits for them", async (t) => {
  const fixture = await openWorkspaceFixture(t, {
    script: () => says(""),
    files: {
      "config/holdfast/config.jsonc": {
        hooks: {
          promptAccepted: [{ command: "cat >> hooks.jsonl" }],
          settled: [{ command: "cat >> hooks.jsonl" }],
        },
      },
    },
  });
  const { directory } = fixture;
  await fixture.send("one", { text: "say hello" });
  await fixture.send("one", { text: "say hello" });
  assert.equal((await fixture.ended("one")).ended, "completed");
  const file = join(directory, "hooks.jsonl");
  const lines = (): string[] =>
    existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  await waitFor(lines, { describe: "two lines of the hooks", until: (found) => found.length >= 2 });
  const about = { directory, sessionId: "one", promptId: "one" };
  const told = lines().map((line): { hook: string } => JSON.parse(line));
  assert.deepEqual(
    told.toSorted((left, right) => left.hook.localeCompare(right.hook)),
    [
      { hook: "promptAccepted", ...about, text: "say hello" },
      { hook: "settled", ...about, text: "[demo agent] hello", status: "completed", reason: null },
    ],
  );
});

test("notice hooks run for the events that notify people, with the same words", async (t) => {
  const fixture = await openWorkspaceFixture(t, {
    script: () => says(""),
    files: {
      "config/holdfast/config.jsonc": { hooks: { notice: [{ command: "cat >> notices.jsonl" }] } },
    },
  });
  const { directory, runtime } = fixture;
  const file = join(directory, "notices.jsonl");
  const lines = (): string[] =>
    existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  const told = async (count: number): Promise<{ seq: number }[]> => {
    const describe = `${count} lines of the hook`;
    const found = await waitFor(lines, { describe, until: (read) => read.length >= count });
    return found.map((line) => JSON.parse(line));
  };
  await fixture.send("one", { text: "ask to append notes.txt yes" });
  const [asked] = await told(1);
  const about = { hook: "notice", directory, sessionId: "one", title: null };
  assert.deepEqual(asked, { ...about, seq: asked?.seq, kind: "needsYou", text: "Needs you" });
  const active = (await runtime.store.lane("one"))?.active;
  assert(active?.kind === "run");
  await runtime.answer({ sessionId: "one", askId: active.asks[0]?.askId ?? "", verdict: "allow" });
  const [, finished] = await told(2);
  assert.deepEqual(finished, { ...about, seq: finished?.seq, kind: "finished", text: "Finished" });
  // Work that a person has cancelled notifies nobody, so the next line is about the prompt after it.
  await fixture.send("two", { text: "ask to append notes.txt no" });
  await told(3);
  await runtime.cancel({
    sessionId: "two",
    cancelId: "stop",
    scope: { kind: "session", upTo: null, tree: false },
  });
  await fixture.send("three", { text: "say hello" });
  const notices = await told(4);
  assert.deepEqual(notices.slice(2), [
    { ...about, sessionId: "two", seq: notices[2]?.seq, kind: "needsYou", text: "Needs you" },
    { ...about, sessionId: "three", seq: notices[3]?.seq, kind: "finished", text: "Finished" },
  ]);
});

test("C7 hooks also get a prompt that the end of another session's run has sent", async (t) => {
  const fixture = await openWorkspaceFixture(t, {
    connected: true,
    script: (call) => {
      const said = call.messages.findLast(({ role }) => role === "user")?.text ?? "";
      if (said === "Look." && call.messages.at(-1)?.role === "user") {
        return asks({ name: "task", input: { prompt: "Look there.", background: true } });
      }
      return says("Seen.");
    },
    files: {
      "config/holdfast/config.jsonc": {
        model: "local/test",
        hooks: { promptAccepted: [{ command: "cat >> hooks.jsonl" }] },
      },
    },
  });
  await fixture.send("parent", { text: "Look." });
  const file = join(fixture.directory, "hooks.jsonl");
  const told = (): string[] => {
    const text = existsSync(file) ? readFileSync(file, "utf8").trimEnd() : "";
    return text.split("\n").map((line) => (line === "" ? "" : String(JSON.parse(line).promptId)));
  };
  await waitFor(told, { describe: "three lines of the hooks", until: (ids) => ids.length >= 3 });
  const [child = ""] = told().filter((id) => id !== "parent" && !id.startsWith("result:"));
  assert.deepEqual(told().toSorted(), ["parent", child, `result:${child}`].toSorted());
  assert.equal((await fixture.ended("parent")).ended, "completed");
});

function resultsIn(call: ModelCall | undefined): string[] {
  const results = call?.messages.flatMap((message) => message.results) ?? [];
  return results.map(({ text }) => text);
}
