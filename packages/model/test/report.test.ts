import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { Message, Run, SessionDetail, SessionHandle } from "@holdfast/sdk";
import { loadReport } from "../src/report.ts";
import { reportPolicy, reportStyle } from "../src/report-style.ts";

const hostile = `</style></pre><script>alert(1)</script><img src="http://evil.example/x" onerror='alert(2)'>`;

/** The reads of a session that a report needs. */
function sessionOf(text: string): SessionHandle {
  const outcome = { status: "completed", runId: "run-1" };
  const messages = [
    { role: "user", promptId: "p", text, at: 1, attachments: [{ name: text }], outcome, seq: 2 },
    {
      role: "assistant",
      runId: "run-1",
      step: 1,
      text,
      reasoning: text,
      model: text,
      at: 2,
      calls: [{ callId: "c", name: text, input: { command: text } }],
    },
    { role: "tool", callId: "c", status: "completed", output: text, extra: { diff: text }, at: 3 },
    { role: "user", promptId: "q", text: "another run", at: 4, attachments: [], outcome: null },
  ];
  const usage = { inputTokens: 1_000, outputTokens: 234, cost: 0.5 };
  const run = { runId: "run-1", promptIds: ["p"], startedAt: 1, endedAt: 2_001, usage };
  const reads = {
    get: async () => ({ sessionId: "s", title: text, directory: `/work/${text}`, createdAt: 1 }),
    eachMessage: () => all(messages),
    eachRun: () => all([run]),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the report reads only these fields
  return reads as unknown as SessionHandle;
}

async function* all(items: readonly object[]): AsyncGenerator<Message & Run & SessionDetail> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the report reads only some fields
  for (const item of items) yield item as Message & Run & SessionDetail;
}

test("a report escapes every text, and its policy allows only its own style", async () => {
  const html = await loadReport(sessionOf(hostile));
  const tags = [...html.matchAll(/<\/?([a-z]+)/g)].map(([, name]) => name);
  assert.deepEqual(
    tags.filter((name) => ["script", "img", "a", "link", "iframe"].includes(name ?? "")),
    [],
  );
  assert.equal(tags.filter((name) => name === "style").length, 2);
  assert.doesNotMatch(html, /(?:src|href|onerror)=["']/);
  assert.ok(html.split("&lt;script&gt;alert(1)").length > 10, "all texts are in the report");
  const hash = createHash("sha256").update(reportStyle).digest("base64");
  assert.equal(
    reportPolicy,
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
  );
  assert.match(html, /1,234 tokens · \$0\.5000/);
});

test("a report of one run leaves out the others, and an unknown run is refused", async () => {
  const html = await loadReport(sessionOf("own words"), { runId: "run-1" });
  assert.match(html, /own words/);
  assert.doesNotMatch(html, /another run/);
  await assert.rejects(loadReport(sessionOf("x"), { runId: "none" }), /has no run none/);
});

test("the table of a report marks a prompt that it cuts", async () => {
  const html = await loadReport(sessionOf("x".repeat(121)));
  assert.match(html, new RegExp(`<td>x{120}…</td>`));
  const whole = await loadReport(sessionOf("x".repeat(120)));
  assert.match(whole, new RegExp(`<td>x{120}</td>`));
});
