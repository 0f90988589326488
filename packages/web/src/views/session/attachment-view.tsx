import type { Attachment } from "@holdfast/sdk";
import { createResource, createSignal, For, onCleanup, Show, Suspense } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { ownFetch } from "../../state/own-fetch.ts";
import { attempt } from "../../state/show-error.ts";
import { Icon } from "../../ui/icon.tsx";
import { saveFile } from "../../ui/save-file.ts";

const pictures = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/**
 * Shows files of a session. The address of a file contains the session id, the path segments in `place`, and the file's
 * hash, in this order.
 */
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
  const name = (): string => visibleText(props.attachment.name ?? props.attachment.mediaType);
  const content = async (): Promise<Blob> => {
    const segments = [props.sessionId, ...props.place, props.attachment.hash];
    const answer = await ownFetch(`/v1/sessions/${segments.map(encodeURIComponent).join("/")}`);
    if (!answer.ok) throw new Error(t().errors.gone);
    return answer.blob();
  };
  // The file is loaded with fetch, because a URL in `src` or `href` would be requested without the browser's key.
  const [isBroken, setBroken] = createSignal(false);
  const addressOf = (blob: Blob): string =>
    URL.createObjectURL(new Blob([blob], { type: props.attachment.mediaType }));
  const [picture] = createResource(
    () => pictures.has(props.attachment.mediaType),
    // Null if the picture cannot be loaded: the session may be deleted, or the server unreachable.
    () => content().then(addressOf, () => null),
  );
  onCleanup(() => {
    const address = picture();
    if (typeof address === "string") URL.revokeObjectURL(address);
  });
  const save = (): Promise<void> => attempt(async () => saveFile(await content(), name()));
  return (
    <li class="attachment">
      <button type="button" onClick={() => void save()}>
        <Suspense fallback={<Icon name="file" />}>
          <Show when={isBroken() ? null : picture()} fallback={<Icon name="file" />}>
            {(address) => <img src={address()} alt="" onError={() => setBroken(true)} />}
          </Show>
        </Suspense>
        <span>{name()}</span>
        <span class="quiet">{sizeText(props.attachment.bytes)}</span>
      </button>
    </li>
  );
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
