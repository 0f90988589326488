import { writeSync } from "node:fs";
import { createRuntime } from "../../../src/runtime/runtime.ts";
import { agentFor } from "./world.ts";

// A process with the coding agent that can be killed at any moment.

export interface CrashJob {
  readonly file: string;
  readonly folder: string;
  readonly directory: string;
  readonly addresses: Parameters<typeof agentFor>[1]["server"]["addresses"];
  /** Prompts to send. Each is accepted once, however often it is sent. */
  readonly prompts: readonly { readonly sessionId: string; readonly promptId: string }[];
}

const job: CrashJob = JSON.parse(process.argv[2] ?? "");
const { addresses, folder, file, directory, prompts } = job;
const agent = agentFor({ protocol: "anthropic" }, { server: { addresses }, folder });
const settings = { leaseTtl: 2_000, renewEvery: 200, pollEvery: 20, maxRuns: 6 };
const holdfast = await createRuntime({ ...settings, maxRunsPerDirectory: 6, agent, store: file });
writeSync(1, "ready\n");
for (const { sessionId, promptId } of prompts) {
  await holdfast.createSession({ sessionId, directory });
  await holdfast.prompt({ sessionId, promptId, text: promptId });
}
for (const prompt of prompts) await holdfast.wait(prompt);
writeSync(1, "settled\n");
await holdfast.close();
