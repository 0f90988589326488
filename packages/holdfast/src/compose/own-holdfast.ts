import type { Holdfast } from "@holdfast/sdk";
import { createRuntime } from "../runtime/runtime.ts";
import type { RuntimeOptions } from "../runtime/runtime.ts";

/** What a client of a server holds, on a runtime in this process and without a socket. */
export interface OwnHoldfast extends Holdfast {
  /** Takes no new runs, gives active ones so many milliseconds, and hands the rest over (M9). */
  close(options?: { deadline?: number }): Promise<void>;
}

export async function createHoldfast(options: RuntimeOptions): Promise<OwnHoldfast> {
  // Loaded only here: a program that works with a runtime alone has no use for the HTTP interface.
  const { onRuntime } = await import("./in-process.ts");
  return onRuntime(await createRuntime(options), options);
}
