import type { Receipt } from "../../../src/kernel/event.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import type { Operation } from "./job.ts";

/** Sends an operation under its id. The promises apply from its answer on. */
export async function send(holdfast: Runtime, operation: Operation): Promise<Receipt | null> {
  if (operation.kind === "prompt") {
    const { sessionId, promptId, text, delivery } = operation;
    await holdfast.createSession({ sessionId, directory: "/project" });
    await holdfast.prompt({ sessionId, promptId, text, delivery });
    return null;
  }
  const { sessionId, cancelId, promptId } = operation;
  await holdfast.createSession({ sessionId, directory: "/project" });
  if (promptId === null) return holdfast.cancel({ sessionId, cancelId });
  return holdfast.cancel({ sessionId, cancelId, scope: { kind: "prompt", promptId } });
}
