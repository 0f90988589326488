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

/** Text fields on the page, by the name of their draft. */
const fields = new Map<string, (added: string) => void>();

/** Registers the text field of a draft for `addToDraft`. Returns a function that removes it. */
export function registerField(name: string, add: (added: string) => void): () => void {
  fields.set(name, add);
  return () => {
    if (fields.get(name) === add) fields.delete(name);
  };
}

/** Adds a text to the end of a draft, even if its text field is not on the page. */
export function addToDraft(name: string, added: string): void {
  if (added === "") return;
  const add = fields.get(name);
  if (add === undefined) writeStored(`draft.${name}`, joinTexts(draftOf(name), added));
  else add(added);
}

export function joinTexts(text: string, added: string): string {
  return text.trim() === "" ? added : `${text.trimEnd()}\n\n${added}`;
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
