import { readStored, writeStored } from "./storage.ts";

const remembered = 50;

/** What was typed into a session's composer and not sent; it survives a reload. */
export function draftOf(sessionId: string): string {
  return readStored(`draft.${sessionId}`, "");
}

/** `before`: what was written here until now. What another tab has written meanwhile stays. */
export function keepDraft(
  sessionId: string,
  { before, text }: { before: string; text: string },
): void {
  if (text === "" && draftOf(sessionId) !== before) return;
  writeStored(`draft.${sessionId}`, text === "" ? null : text);
}

/** Keeps what is written here when another tab has sent what it wrote, and so forgotten both. */
export function keepDraftBeside(sessionId: string, written: () => string): () => void {
  const listener = ({ key, newValue }: StorageEvent): void => {
    if (key !== `holdfast.draft.${sessionId}` || newValue !== null || written() === "") return;
    writeStored(`draft.${sessionId}`, written());
  };
  addEventListener("storage", listener);
  return () => removeEventListener("storage", listener);
}

/** What was sent from this browser, latest first: the up arrow goes through it. */
export function promptHistory(): readonly string[] {
  return readStored<readonly string[]>("history", []);
}

export function rememberPrompt(text: string): void {
  const others = promptHistory().filter((known) => known !== text);
  writeStored("history", [text, ...others].slice(0, remembered));
}
