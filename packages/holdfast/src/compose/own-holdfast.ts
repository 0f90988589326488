import type { Holdfast } from "@holdfast/sdk";
import { createRuntime } from "../runtime/runtime.ts";
import type { RuntimeOptions } from "../runtime/runtime.ts";

/** The client of `@holdfast/sdk`, on a runtime in this process and without a socket. */
export interface OwnHoldfast extends Holdfast {
  /**
   * Starts no more runs and waits up to `deadline` milliseconds for active runs. Runs that have not ended by then continue
   * when the store is opened again (M9).
   */
  close(options?: { deadline?: number }): Promise<void>;
}

/**
 * Runs your own agent in this process, with the same client interface as a server.
 *
 * @example
 * const agent: Agent = {
 *   name: "shout",
 *   async *run({ prompts, boundary }) {
 *     await boundary();
 *     yield { type: "answer", text: prompts.map(({ text }) => text.toUpperCase()).join("\n") };
 *   },
 * };
 * const holdfast = await createHoldfast({ agent, store: "holdfast.db" });
 * const session = await holdfast.sessions.create({ directory: process.cwd() });
 * const prompt = await session.prompt("hello");
 * console.log((await prompt.settled()).text); // HELLO
 * await holdfast.close();
 */
export async function createHoldfast(options: RuntimeOptions): Promise<OwnHoldfast> {
  // A program that uses only the runtime does not need the HTTP interface.
  const { onRuntime } = await import("./in-process.ts");
  return onRuntime(await createRuntime(options), options);
}
