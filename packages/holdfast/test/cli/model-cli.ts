import type { TestContext } from "node:test";
import { startModelServer } from "../../../../gauntlet/model-server/model-server.ts";
import type { ModelServer } from "../../../../gauntlet/model-server/model-server.ts";
import type { ModelCall, Reply, Script } from "../../../../gauntlet/model-server/script.ts";
import { openEmbedded } from "./test-cli.ts";
import type { TestCli } from "./test-cli.ts";

/** A key that must never be printed or stored. */
export const key = "sk-cli-8d1f60b2c94e7a35";

/** A CLI whose commands have a model, which answers from a script over a real socket. */
export async function openModelCli(
  test: TestContext,
  script: Script,
  environment: Record<string, string> = {},
): Promise<TestCli & { server: ModelServer }> {
  const server = await startModelServer(script);
  test.after(() => server.close());
  const cli = openEmbedded(test, {
    HOLDFAST_BASE_URL: server.addresses.openaiChat,
    HOLDFAST_API_KEY: key,
    HOLDFAST_MODEL: "local/test",
    HOLDFAST_AGENT: "",
    PATH: process.env["PATH"] ?? "",
    ...environment,
  });
  return { ...cli, server };
}

/** Replies for each prompt, by its last text, in order; the last reply repeats. */
export function replying(replies: Readonly<Record<string, readonly Reply[]>>): Script {
  return (call) => {
    const prompt = call.messages.findLastIndex(({ role }) => role === "user");
    const text = call.messages[prompt]?.text ?? "";
    const steps = call.messages.slice(prompt).filter(({ role }) => role === "assistant").length;
    const found = Object.entries(replies).find(([word]) => text.includes(word))?.[1] ?? [];
    const reply = found[Math.min(steps, found.length - 1)];
    if (reply === undefined) throw new Error(`nothing is scripted for: ${text}`);
    return reply;
  };
}

/** The last text that was sent to the model. */
export function lastWords(calls: readonly ModelCall[]): string {
  return calls.at(-1)?.messages.findLast(({ role }) => role === "user")?.text ?? "";
}
