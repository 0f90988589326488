// An agent of your own that runs in the same process as its runtime. Run it with Node 24, in a clone after `npm install`:
// node examples/custom-agent.ts
// With an older Node on Linux, npx finds the Node 24 of the clone: npx node examples/custom-agent.ts
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHoldfast } from "holdfast";
import type { Agent } from "holdfast";

/** An agent that counts the words of each prompt. Each yielded fact is committed before the generator continues. */
const counter: Agent = {
  name: "word-counter",
  async *run({ prompts, boundary }) {
    // Starts a step of the run. Prompts that users sent to the active run since its last step join the run now.
    await boundary();
    const counts = prompts.map(({ text }) => `${text.split(/\s+/).length} words in "${text}"`);
    yield { type: "delta", kind: "text", text: "Counting..." };
    yield { type: "answer", text: counts.join("\n") };
  },
};

const folder = mkdtempSync(join(tmpdir(), "holdfast-example-"));
const holdfast = await createHoldfast({ agent: counter, store: join(folder, "holdfast.db") });
const session = await holdfast.sessions.create({ directory: folder });

// Resolves when the prompt is stored. Sending it again with the same id has no further effect.
const prompt = await session.prompt("never lose a prompt", { promptId: "first" });
await session.prompt("never lose a prompt", { promptId: "first" });

for await (const event of prompt.events()) {
  if (event.type === "step.answered") console.log(event.content?.text);
}
const { status, runId } = await prompt.settled();
console.log(`${status} in ${runId === null ? "no run" : "a run"}`);
for await (const { promptId, outcome } of session.eachPrompt()) {
  console.log(`ledger: ${promptId} ${outcome?.status}`);
}
await holdfast.close();
