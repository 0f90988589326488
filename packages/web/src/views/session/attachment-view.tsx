import type { Attachment } from "@holdfast/sdk";
import { createSignal, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { visibleText } from "../../model/visible-text.ts";
import { Icon } from "../../ui/icon.tsx";

const pictures = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Files of a session; `place`: what of the session they belong to, as their addresses have it. */
export function AttachmentList(props: {
  sessionId: string;
  place: readonly string[];
  files: readonly Attachment[];
}): JSX.Element {
  return (
    <Show when={props.files.length > 0}>
      <ul class="attachments">
        <For each={props.files}>
          {(file) => (
            <AttachmentView sessionId={props.sessionId} place={props.place} attachment={file} />
          )}
        </For>
      </ul>
    </Show>
  );
}

function AttachmentView(props: {
  sessionId: string;
  place: readonly string[];
  attachment: Attachment;
}): JSX.Element {
  // The session may have been deleted, or the server be away.
  const [isGone, setGone] = createSignal(false);
  const name = (): string => visibleText(props.attachment.name ?? props.attachment.mediaType);
  const address = (): string => {
    const parts = [props.sessionId, ...props.place, props.attachment.hash];
    return `/v1/sessions/${parts.map(encodeURIComponent).join("/")}`;
  };
  return (
    <li class="attachment">
      <a href={address()} download={name()}>
        <Show
          when={pictures.has(props.attachment.mediaType) && !isGone()}
          fallback={<Icon name="file" />}
        >
          <img src={address()} alt={name()} loading="lazy" onError={() => setGone(true)} />
        </Show>
        <span>{name()}</span>
        <span class="quiet">{sizeText(props.attachment.bytes)}</span>
      </a>
    </li>
  );
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
