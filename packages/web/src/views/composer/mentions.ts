import type { Session } from "@holdfast/sdk";
import { createSignal, onCleanup } from "solid-js";
import type { Accessor } from "solid-js";
import { t } from "../../i18n/text.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { mentionAt } from "../../model/mention-at.ts";
import type { TypedMention } from "../../model/mention-at.ts";
import { holdfast } from "../../state/client.ts";
import { allSessions, searchSessions } from "../../state/sessions.ts";
import { createListPlace } from "../../ui/list-place.ts";
import type { Completion } from "./completion-list.tsx";

const filesAtMost = 8;
const sessionsAtMost = 5;
/** Milliseconds between the last key and the search, so that not every typed letter starts a search. */
const searchDelay = 120;

/** Completes `@` and the beginning of a name in a text field to a path of the directory or to another session. */
export interface Mentions {
  readonly items: Accessor<readonly Completion[]>;
  readonly place: Accessor<number>;
  /**
   * Checks whether the text before the cursor ends with `@` and the beginning of a name, and updates the list. Call
   * this after each change of the text.
   */
  readonly look: () => void;
  /** Handles a key while the list is open. Returns true if the key was used. */
  readonly onKey: (key: string) => boolean;
  readonly pick: (place: number) => void;
}

/**
 * An entry of the completion list that opens after `@`. `inserts`: the text that the entry puts into the text field.
 */
interface Mention extends Completion {
  readonly inserts: string;
}

export function createMentions(options: {
  sessionId: Accessor<string | null>;
  directory: Accessor<string | null>;
  area: () => HTMLTextAreaElement | undefined;
  write: (text: string) => void;
}): Mentions {
  const [items, setItems] = createSignal<readonly Mention[]>([]);
  const list = createListPlace(() => items().length);
  let searches = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const close = (): void => {
    searches += 1;
    clearTimeout(timer);
    setItems([]);
  };
  const search = async (directory: string, words: string): Promise<void> => {
    const own = (searches += 1);
    const query = { search: words, limit: filesAtMost };
    const [files] = await Promise.all([
      // If the search for files fails, suggest no files.
      holdfast.workspaces.files(directory, query).catch(() => null),
      words === "" ? null : searchSessions(words).catch(() => null),
    ]);
    if (own !== searches) return;
    const others = sessionsNamed(words).filter((each) => each.sessionId !== options.sessionId());
    list.choose(0);
    setItems([...(files?.items ?? []).map(fileMention), ...others.map(sessionMention)]);
  };
  const look = (): void => {
    const directory = options.directory();
    const typed = mentionIn(options.area());
    if (directory === null || typed === null) return close();
    clearTimeout(timer);
    timer = setTimeout(() => void search(directory, typed.words), searchDelay);
  };
  const pick = (place: number): void => {
    const area = options.area();
    const typed = mentionIn(area);
    const chosen = items()[place];
    close();
    if (area === undefined || typed === null || chosen === undefined) return;
    const before = `${area.value.slice(0, typed.start)}${chosen.inserts} `;
    options.write(before + area.value.slice(area.selectionStart).trimStart());
    area.focus();
    queueMicrotask(() => area.setSelectionRange(before.length, before.length));
  };
  const onKey = (key: string): boolean => {
    if (items().length === 0) return false;
    if (list.onKey(key)) return true;
    if (key === "Escape") close();
    else if (key === "Enter" || key === "Tab") pick(list.place());
    else return false;
    return true;
  };
  return { items, place: list.place, look, onKey, pick };
}

function fileMention(path: string): Mention {
  const label = visibleText(path);
  return { key: `file ${path}`, icon: "file", label, detail: "", inserts: `@${path}` };
}

/**
 * Returns the mention of a session with its whole id, because an agent needs the whole id to send a prompt to a
 * session.
 */
function sessionMention(session: Session): Mention {
  const { sessionId, directory } = session;
  const title = visibleText(session.title ?? t().sessions.untitled);
  return {
    key: `session ${sessionId}`,
    icon: "chat",
    label: title,
    detail: `${shortId(sessionId)} · ${visibleText(directory)}`,
    inserts: `@${sessionId} (${JSON.stringify(title)})`,
  };
}

/** Returns the first characters of the random part of an id. */
function shortId(sessionId: string): string {
  return sessionId.replace(/^[a-z]+-/, "").slice(0, 8);
}

/** Returns the sessions whose title or id contains the text, latest first. */
function sessionsNamed(words: string): readonly Session[] {
  const text = words.toLowerCase();
  return allSessions()
    .filter(({ archived, parent }) => !archived && parent === null)
    .filter(({ title, sessionId }) => `${title ?? ""} ${sessionId}`.toLowerCase().includes(text))
    .toSorted((left, right) => right.updatedAt - left.updatedAt)
    .slice(0, sessionsAtMost);
}

/** Returns the mention that ends at the cursor. Null if there is none, or if a part of the text is selected. */
function mentionIn(area: HTMLTextAreaElement | undefined): TypedMention | null {
  if (area === undefined || area.selectionStart !== area.selectionEnd) return null;
  return mentionAt(area.value.slice(0, area.selectionStart));
}
