import { For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { visibleLine } from "@holdfast/model/visible-text.ts";
import { t } from "../../i18n/text.ts";
import { commentsOf, removeComment } from "../../state/comments.ts";
import { Icon, IconButton } from "../../ui/icon.tsx";

/** Comments on lines of files that go into the next prompt. */
export function CommentChips(props: { sessionId: string }): JSX.Element {
  return (
    <Show when={commentsOf(props.sessionId).length > 0}>
      <ul class="uploads comment-chips" aria-label={t().changes.comments.chips}>
        <For each={commentsOf(props.sessionId)}>
          {(comment) => {
            const place = visibleLine(`${comment.path}:${comment.line}`);
            return (
              <li class="upload" title={`${place}\n${visibleLine(comment.text)}`}>
                <Icon name="comment" size={14} />
                <bdi class="upload-name">{place}</bdi>
                <IconButton
                  icon="close"
                  label={t().changes.comments.removeAt({ place })}
                  onClick={() => removeComment(props.sessionId, comment.id)}
                />
              </li>
            );
          }}
        </For>
      </ul>
    </Show>
  );
}
