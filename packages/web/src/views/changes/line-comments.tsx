import { createMemo, createSignal, For, onMount, Show } from "solid-js";
import type { Accessor, JSX } from "solid-js";
import type { DiffLine } from "@holdfast/model/diff-lines.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { t } from "../../i18n/text.ts";
import type { LineComment } from "../../model/comment-text.ts";
import { addComment, commentsOf, removeComment } from "../../state/comments.ts";
import type { LineNotes } from "../../ui/diff-table.tsx";
import { IconButton } from "../../ui/icon.tsx";
import { commentDraftOf, keepCommentDraft } from "./comment-drafts.ts";

/** Comments of the user on the lines of a file. `path`: the path as the prompt will contain it. */
export function createLineComments(options: {
  sessionId: string;
  /** Absolute path of the file. */
  file: string;
  path: Accessor<string>;
}): LineNotes {
  const { sessionId, file, path } = options;
  const draft = () => commentDraftOf(sessionId, file);
  const restored = draft().line;
  const [writing, setWriting] = createSignal(restored);
  const write = (line: string | null): void => {
    keepCommentDraft(sessionId, file, { line, text: line === null ? "" : draft().text });
    setWriting(line);
  };
  const byLine = createMemo(() => {
    const own = commentsOf(sessionId).filter((comment) => comment.path === path());
    return Map.groupBy(own, ({ side, line }) => `${side} ${line}`);
  });
  const close = (): void => write(null);
  const add = (line: DiffLine, text: string): void => {
    const side = sideOf(line);
    if (text.trim() !== "") {
      const number = line[side] ?? 0;
      const comment = { path: path(), line: number, side, quote: line.text, text: text.trim() };
      addComment(sessionId, comment);
    }
    close();
  };
  return {
    onLine: (line) => write(writing() === keyOf(line) ? null : keyOf(line)),
    below: (line) => {
      const known = byLine().get(keyOf(line)) ?? [];
      const isWriting = writing() === keyOf(line);
      if (known.length === 0 && !isWriting) return null;
      return (
        <>
          <For each={known}>{(comment) => <Comment sessionId={sessionId} comment={comment} />}</For>
          <Show when={isWriting}>
            <CommentForm
              onAdd={(text) => add(line, text)}
              onClose={close}
              text={draft().text}
              onInput={(text) => keepCommentDraft(sessionId, file, { line: keyOf(line), text })}
              takesFocus={restored !== keyOf(line)}
            />
          </Show>
        </>
      );
    },
  };
}

function sideOf(line: DiffLine): LineComment["side"] {
  return line.kind === "remove" ? "before" : "after";
}

function keyOf(line: DiffLine): string {
  const side = sideOf(line);
  return `${side} ${line[side]}`;
}

function Comment(props: { sessionId: string; comment: LineComment }): JSX.Element {
  return (
    <div class="line-comment">
      <p>{visibleText(props.comment.text)}</p>
      <IconButton
        icon="trash"
        label={t().changes.comments.remove}
        onClick={() => removeComment(props.sessionId, props.comment.id)}
      />
    </div>
  );
}

function CommentForm(props: {
  /** Text at first. */
  text: string;
  onInput: (text: string) => void;
  /** False for a form that is scrolled back into view: taking the focus would scroll the list. */
  takesFocus: boolean;
  onAdd: (text: string) => void;
  onClose: () => void;
}): JSX.Element {
  let area: HTMLTextAreaElement | undefined;
  onMount(() => {
    if (props.takesFocus) area?.focus();
  });
  const add = (): void => props.onAdd(area?.value ?? "");
  return (
    <form
      class="line-comment-form"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.preventDefault();
          props.onClose();
        }
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          add();
        }
      }}
    >
      <textarea
        ref={area}
        rows="2"
        value={props.text}
        onInput={(event) => props.onInput(event.currentTarget.value)}
        aria-label={t().changes.comments.label}
        placeholder={t().changes.comments.placeholder}
      />
      <div class="buttons">
        <button type="button" class="button small" onClick={() => props.onClose()}>
          {t().app.cancel}
        </button>
        <button type="submit" class="button small primary">
          {t().changes.comments.add}
        </button>
      </div>
    </form>
  );
}
