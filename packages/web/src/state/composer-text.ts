import type { PromptOptions } from "@holdfast/sdk";
import { createSignal } from "solid-js";

/** Parts of a prompt that are added to a draft. */
export interface AddedPrompt {
  readonly text: string;
  readonly files: readonly File[];
  /** Model, effort and mode that the composer selects. Missing fields stay as they are. */
  readonly options: Pick<PromptOptions, "model" | "effort" | "agentMode">;
}

const [added, setAdded] = createSignal<(AddedPrompt & { readonly sessionId: string }) | null>(null);

/** Adds a prompt to the draft in a session's composer. */
export function addToComposer(sessionId: string, prompt: AddedPrompt): void {
  setAdded({ ...prompt, sessionId });
}

/**
 * Called by the composer (the input field for prompts). Returns the prompt of the last `addToComposer` call once, then
 * null.
 */
export function takeAddedPrompt(sessionId: string): AddedPrompt | null {
  const found = added();
  if (found === null || found.sessionId !== sessionId) return null;
  queueMicrotask(() => setAdded((now) => (now === found ? null : now)));
  return found;
}
