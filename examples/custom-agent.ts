// An agent of your own on the embedded runtime. Run it with Node 24: node examples/custom-agent.ts
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHoldfast } from "holdfast";
import type { Agent } from "holdfast";

/** Counts the words of each prompt. What it yields is committed before it goes on. */
const counter: Agent = {
  name: "word-counter",
  async *run({ prompts, boundary }) {
    // The step boundary: prompts that were steered in meanwhile join the run here.
    await boundary();
    const counts = prompts.map(({ text }) => `${text.split(/\s+/).length} words in "${text}"`);
    yield { type: "delta", kind: "text", text: "Counting..." };
    yield { type: "answer", text: counts.join("\n") };
  },
};

const folder = mkdtempSync(join(tmpdir(), "holdfast-example-"));
const holdfast = await createHoldfast({ agent: counter, store: join(folder, "holdfast.db") });
const { sessionId } = await holdfast.createSession({ directory: folder });

// Answered as soon as it is durable; under its own id, sending it twice is sending it once.
const prompt = { sessionId, promptId: "first", text: "never lose a prompt" };
await holdfast.prompt(prompt);
await holdfast.prompt(prompt);

const settled = await holdfast.wait({ sessionId, promptId: "first" });
if (settled === null) throw new Error("the prompt is not on record");
console.log(`${settled.status}: ${settled.outcome?.status}`);
console.log(await holdfast.resultText(settled));
for (const row of await holdfast.store.prompts(sessionId, { after: null, limit: 10 })) {
  console.log(`ledger: ${row.promptId} ${row.outcome?.status}`);
}
await holdfast.close();
