import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openDemo, typesOf } from "./demo-world.ts";

test("R2 the start of a call that must not be repeated is logged before the call acts", async (t) => {
  const demo = await openDemo(t);
  assert.equal(
    await demo.prompt("tool read x; tool edit y"),
    "completed: [demo agent] edit pretended to work: y",
  );
  assert.deepEqual(typesOf(await demo.log()), [
    "prompt.accepted",
    "run.started",
    "step.opened",
    "step.answered",
    "tool.ended",
    "step.opened",
    "step.answered",
    "tool.started",
    "tool.ended",
    "prompt.settled",
    "run.ended",
  ]);
});

test("append writes a line with its call id, and nothing outside of the directory", async (t) => {
  const demo = await openDemo(t);
  assert.deepEqual(
    [
      await demo.prompt("append a.txt same; append a.txt same"),
      await demo.prompt("append ../a.txt no"),
      await demo.prompt("append none/a.txt no"),
    ].map((text) => text.replace(/ENOENT.*/, "ENOENT")),
    [
      "completed: [demo agent] appended a line to a.txt",
      "completed: [demo agent] ../a.txt is outside of the session's directory",
      "completed: [demo agent] nothing was appended: ENOENT",
    ],
  );
  assert.deepEqual(demo.lines("a.txt"), ["same", "same"]);
  const marks = readFileSync(join(demo.folder, "a.txt"), "utf8").match(/\[call-\w+\]/g);
  assert.equal(new Set(marks).size, 2);
});

test("T1 parallel calls belong to one step, and each has its result", async (t) => {
  const demo = await openDemo(t);
  assert.match(
    await demo.prompt("parallel { append a.txt x; tool list; child { append a.txt y; say z } }"),
    /^completed: \[demo agent\] appended .*\n\[demo agent\] list .*\n\[demo agent\] child .* completed: \[demo agent\] z$/,
  );
  const log = await demo.log();
  const count = (type: string): number => log.filter((event) => event.type === type).length;
  assert.deepEqual([count("step.opened"), count("tool.ended")], [1, 3]);
  assert.deepEqual(demo.lines("a.txt").toSorted(), ["x", "y"]);
});

test('R4 people answer an ask, and the answer "no" denies a call that needs permission', async (t) => {
  const demo = await openDemo(t);
  const { sessionId, holdfast } = demo;
  const answers: Record<string, { verdict: "allow" | "deny"; text?: string }> = {
    "Which colour?": { verdict: "allow", text: "blue" },
    "The demo agent wants to append a.txt x. Allow it?": { verdict: "deny" },
    "The demo agent wants to append a.txt y. Allow it?": { verdict: "allow" },
  };
  const stop = new AbortController();
  const answering = (async (): Promise<void> => {
    for await (const event of holdfast.events({ sessionId, signal: stop.signal })) {
      if (event.type !== "ask.opened") continue;
      const content: { question: string } = JSON.parse(
        new TextDecoder().decode((await holdfast.store.body(event.body ?? "")) ?? new Uint8Array()),
      );
      const answer = answers[content.question] ?? { verdict: "deny", text: content.question };
      await holdfast.answer({ sessionId, askId: event.askId, ...answer });
    }
  })();
  assert.deepEqual(
    [
      await demo.prompt("ask Which colour?"),
      await demo.prompt("ask to append a.txt x"),
      await demo.prompt("ask to append a.txt y"),
    ],
    [
      "completed: [demo agent] blue",
      "completed: [demo agent] denied",
      "completed: [demo agent] appended a line to a.txt",
    ],
  );
  stop.abort();
  await answering;
  assert.deepEqual(demo.lines("a.txt"), ["y"]);
});

test("C7 children work in the foreground, nested, and in the background with their own result", async (t) => {
  const demo = await openDemo(t);
  assert.match(
    await demo.prompt("child { child { append a.txt deep; say deep } }"),
    /^completed: \[demo agent\] child session-\w+ completed: \[demo agent\] child session-\w+ completed: \[demo agent\] deep$/,
  );
  assert.match(await demo.prompt("child { fail }"), /child session-\w+ failed \(agentError\): /);
  const started = await demo.prompt("background { append a.txt back; say tool read }");
  assert.match(started, /^completed: \[demo agent\] child session-\w+ works in the background$/);
  const { childPromptId } = (await demo.log()).findLast(
    (event) => event.type === "child.linked",
  ) ?? {
    childPromptId: "",
  };
  await untilAccepted(demo, `result:${childPromptId}`);
  assert.match(
    await demo.outcome(`result:${childPromptId}`),
    /^completed: \[demo agent\] background child session-\w+ completed: \[demo agent\] tool read$/,
  );
  assert.deepEqual(demo.lines("a.txt"), ["deep", "back"]);
});

test("send gives a prompt to another session, which answers with a result", async (t) => {
  const demo = await openDemo(t);
  const { holdfast, folder } = demo;
  await holdfast.createSession({ sessionId: "other", directory: folder });
  assert.equal(
    await demo.prompt("send other { append a.txt sent; say hi }"),
    "completed: [demo agent] sent a prompt to session other",
  );
  const accepted = await demo.event("prompt.accepted", "other");
  await untilAccepted(demo, `result:${accepted.promptId}`);
  assert.equal(
    await demo.outcome(`result:${accepted.promptId}`),
    "completed: [demo agent] background child other completed: [demo agent] hi",
  );
  assert.deepEqual(demo.lines("a.txt"), ["sent"]);
});

async function untilAccepted(
  demo: Awaited<ReturnType<typeof openDemo>>,
  promptId: string,
): Promise<void> {
  for await (const event of demo.holdfast.events({ sessionId: demo.sessionId })) {
    if (event.type === "prompt.accepted" && event.promptId === promptId) return;
  }
}
