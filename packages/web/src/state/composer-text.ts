import { createSignal } from "solid-js";

interface Added {
  readonly sessionId: string;
  readonly text: string;
}

const [added, setAdded] = createSignal<Added | null>(null);

/** Appends text to the draft in a session's composer. */
export function addToComposer(sessionId: string, text: string): void {
  setAdded({ sessionId, text });
}

/**
 * Called by the composer (the input field for prompts). Returns the text of the last `addToComposer` call once, then
 * null.
 */
export function takeComposerText(sessionId: string): string | null {
  const found = added();
  if (found === null || found.sessionId !== sessionId) return null;
  queueMicrotask(() => setAdded((now) => (now === found ? null : now)));
  return found.text;
}
