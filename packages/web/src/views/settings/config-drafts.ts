/** Text of a config file that the user has edited and not saved. */
export interface ConfigDraft {
  readonly text: string;
  /** Digest of the version of the file that the text is based on. */
  readonly digest: string | null;
}

const name = "holdfast.configDrafts";

/** Unsaved texts by file. */
const drafts = new Map(takeStored());

/** Returns the unsaved text of a config file; null if there is none. */
export function configDraftOf(file: string): ConfigDraft | null {
  return drafts.get(file) ?? null;
}

/** Keeps the unsaved text of a config file. Null: the text was saved or discarded. */
export function keepConfigDraft(file: string, draft: ConfigDraft | null): void {
  if (draft === null) drafts.delete(file);
  else drafts.set(file, draft);
}

/** Removes all unsaved texts from this tab, because the user signs out. */
export function forgetConfigDrafts(): void {
  drafts.clear();
}

/**
 * A config can contain secrets, for example in headers, and a browser may write its storage to disk. So the texts stay in
 * memory while the page is open. They are stored only while the tab loads the page again, as it does when a sign-in
 * link is opened in it, and only for this tab.
 */
addEventListener("pagehide", () => {
  try {
    if (drafts.size === 0) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify([...drafts]));
  } catch {
    // Ignore the error: the page works without storage.
  }
});

function takeStored(): readonly (readonly [string, ConfigDraft])[] {
  try {
    const text = sessionStorage.getItem(name);
    sessionStorage.removeItem(name);
    return text === null ? [] : JSON.parse(text);
  } catch {
    return [];
  }
}
