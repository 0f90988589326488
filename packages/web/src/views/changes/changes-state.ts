import { isEvent } from "@holdfast/sdk";
import type { Changes, WholeChange } from "@holdfast/sdk";
import { createEffect, createSignal, on, onCleanup } from "solid-js";
import type { Accessor } from "solid-js";
import { holdfast } from "../../state/client.ts";
import { onFeed } from "../../state/feed.ts";
import { pathsWithDraft } from "./comment-drafts.ts";

export type FileChange = Changes["files"][number];
export type CommandChange = Changes["commands"][number];

/** The changes of a session or run. They are loaded again after each event that can change files. */
export interface ChangesState {
  readonly sessionId: string;
  readonly runId: Accessor<string | null>;
  /** Null until loaded. */
  readonly changes: Accessor<Changes | null>;
  readonly hasFailed: Accessor<boolean>;
  readonly reload: () => void;
  /** Loads the diff of a file. The diff is cached until the list of changes is loaded again. */
  readonly diffOf: (path: string, context: number) => Promise<WholeChange>;
  /**
   * Whether the diff of a file is shown. Until the user decides, only short diffs and diffs with a half-written comment
   * are shown. Reactive.
   */
  readonly isOpen: (path: string) => boolean;
  readonly setOpen: (path: string, isOpen: boolean) => void;
  /** Number of unchanged lines around each change of a file. Reactive. */
  readonly contextOf: (path: string) => number;
  readonly setContext: (path: string, lines: number) => void;
}

/** Milliseconds between two requests for the changed files, while tools are changing files. */
const pause = 1_500;
const changing = new Set(["tool.ended", "run.ended", "work.ended"]);
/** If the list has at most this many files, their diffs are open at first. */
const fewFiles = 5;
/** The diff of a file with more changed lines than this is closed at first. */
const fewLines = 400;

export function createChanges(sessionId: string, runId: Accessor<string | null>): ChangesState {
  const handle = holdfast.session(sessionId);
  const [changes, setChanges] = createSignal<Changes | null>(null);
  const [hasFailed, setFailed] = createSignal(false);
  const [choices, setChoices] = createSignal<ReadonlyMap<string, boolean>>(
    new Map(pathsWithDraft(sessionId).map((path) => [path, true])),
  );
  const [contexts, setContexts] = createSignal<ReadonlyMap<string, number>>(new Map());
  const diffs = new Map<string, Promise<WholeChange>>();
  const scope = () => {
    const id = runId();
    return id === null ? {} : { runId: id };
  };
  let loads = 0;
  const load = async (): Promise<void> => {
    const own = (loads += 1);
    try {
      const found = await handle.changes(scope());
      if (own !== loads) return;
      diffs.clear();
      setFailed(false);
      setChanges(found);
    } catch {
      // The view shows a button to load again.
      if (own === loads) setFailed(true);
    }
  };
  let timer: ReturnType<typeof setTimeout> | null = null;
  const soon = (): void => {
    timer ??= setTimeout(() => {
      timer = null;
      void load();
    }, pause);
  };
  createEffect(
    on(runId, () => {
      setChanges(null);
      void load();
    }),
  );
  onCleanup(
    onFeed((item) => {
      if (!isEvent(item) || item.sessionId !== sessionId || !changing.has(item.type)) return;
      if (item.type === "tool.ended") soon();
      else void load();
    }),
  );
  onCleanup(() => {
    if (timer !== null) clearTimeout(timer);
    loads += 1;
  });
  const isShort = (path: string): boolean => {
    const files = changes()?.files ?? [];
    const file = files.length > fewFiles ? undefined : files.find((each) => each.path === path);
    return file !== undefined && (file.added ?? 0) + (file.removed ?? 0) <= fewLines;
  };
  return {
    sessionId,
    runId,
    changes,
    hasFailed,
    reload: () => void load(),
    diffOf: (path, context) => {
      const key = `${context} ${path}`;
      const known = diffs.get(key) ?? handle.change(path, { ...scope(), context });
      diffs.set(key, known);
      known.catch(() => diffs.delete(key));
      return known;
    },
    isOpen: (path) => choices().get(path) ?? isShort(path),
    setOpen: (path, isOpen) => setChoices((before) => new Map(before).set(path, isOpen)),
    contextOf: (path) => contexts().get(path) ?? 3,
    setContext: (path, lines) => setContexts((before) => new Map(before).set(path, lines)),
  };
}
