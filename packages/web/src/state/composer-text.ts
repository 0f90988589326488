import { createSignal } from "solid-js";

interface Added {
  readonly sessionId: string;
  readonly text: string;
}

const [added, setAdded] = createSignal<Added | null>(null);

/** Adds text to a session's composer, after the draft that is there. */
export function addToComposer(sessionId: string, text: string): void {
  setAdded({ sessionId, text });
}

/** For the composer: returns the added text once, or null. */
export function takeComposerText(sessionId: string): string | null {
  const found = added();
  if (found === null || found.sessionId !== sessionId) return null;
  queueMicrotask(() => setAdded((now) => (now === found ? null : now)));
  return found.text;
}
