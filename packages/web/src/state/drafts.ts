import { readStored, writeStored } from "./storage.ts";

const remembered = 50;

/** Returns the text that was typed into a session's composer but not sent. It survives a reload. */
export function draftOf(sessionId: string): string {
  return readStored(`draft.${sessionId}`, "");
}

/**
 * Saves a draft. An empty text deletes the stored draft, unless another tab has changed it. `before`: the draft as this
 * tab last saw it.
 */
export function keepDraft(
  sessionId: string,
  { before, text }: { before: string; text: string },
): void {
  if (text === "" && draftOf(sessionId) !== before) return;
  writeStored(`draft.${sessionId}`, text === "" ? null : text);
}

/** Saves this tab's draft again after another tab has sent a prompt, because that clears the stored draft. */
export function keepDraftBeside(sessionId: string, written: () => string): () => void {
  const listener = ({ key, newValue }: StorageEvent): void => {
    if (key !== `holdfast.draft.${sessionId}` || newValue !== null || written() === "") return;
    writeStored(`draft.${sessionId}`, written());
  };
  addEventListener("storage", listener);
  return () => removeEventListener("storage", listener);
}

/** Returns the prompts that were sent from this browser, latest first. The up arrow steps through them. */
export function promptHistory(): readonly string[] {
  return readStored<readonly string[]>("history", []);
}

export function rememberPrompt(text: string): void {
  const others = promptHistory().filter((known) => known !== text);
  writeStored("history", [text, ...others].slice(0, remembered));
}
