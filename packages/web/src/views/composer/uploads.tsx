import type { Attachment } from "@holdfast/sdk";
import { createSignal, For, Show } from "solid-js";
import type { Accessor, JSX, Signal } from "solid-js";
import { t } from "../../i18n/text.ts";
import { holdfast } from "../../state/client.ts";
import { showError } from "../../state/show-error.ts";
import { showToast } from "../../state/toasts.ts";
import { Icon, IconButton } from "../../ui/icon.tsx";
import { sizeText } from "../session/attachment-view.tsx";

const largest = 20_000_000;

interface Upload {
  readonly key: number;
  readonly name: string;
  readonly bytes: number;
  /** Object URL of an image preview. */
  readonly preview: string | null;
  readonly attachment: Attachment | null;
}

/** Files to send with the next prompt. */
export interface Uploads {
  readonly all: Accessor<readonly Upload[]>;
  readonly done: () => readonly Attachment[];
  readonly isBusy: () => boolean;
  readonly add: (files: readonly File[]) => void;
  readonly remove: (key: number) => void;
  /** Removes and returns all uploads; `putBack` restores them. */
  readonly take: () => readonly Upload[];
  readonly putBack: (uploads: readonly Upload[]) => void;
}

let lastKey = 0;

/** Uploads by session, so that they are kept with the draft while the user visits another page. */
const kept = new Map<string, Signal<readonly Upload[]>>();

/** Creates the uploads of a draft. `draft`: id of the session, or another name if the session does not exist yet. */
export function createUploads(draft: string): Uploads {
  const [all, setAll] = kept.get(draft) ?? createSignal<readonly Upload[]>([]);
  kept.set(draft, [all, setAll]);
  const remove = (key: number): void => {
    const removed = all().find((upload) => upload.key === key)?.preview ?? null;
    if (removed !== null) URL.revokeObjectURL(removed);
    setAll((before) => before.filter((upload) => upload.key !== key));
  };
  const add = async (file: File): Promise<void> => {
    if (file.size > largest) {
      showToast(() => t().composer.tooLarge({ name: file.name }), { tone: "bad" });
      return;
    }
    const key = (lastKey += 1);
    const preview = file.type.startsWith("image/") ? URL.createObjectURL(file) : null;
    const upload = { key, name: file.name, bytes: file.size, preview, attachment: null };
    setAll((before) => [...before, upload]);
    try {
      const attachment = await holdfast.attachments.upload({ content: file, name: file.name });
      setAll((before) => before.map((each) => (each.key === key ? { ...each, attachment } : each)));
    } catch (error) {
      remove(key);
      showError(error);
    }
  };
  return {
    all,
    done: () => all().flatMap(({ attachment }) => (attachment === null ? [] : [attachment])),
    isBusy: () => all().some(({ attachment }) => attachment === null),
    add: (files) => {
      for (const file of files) void add(file);
    },
    remove,
    take: () => {
      const taken = all();
      setAll([]);
      return taken;
    },
    putBack: (uploads) => setAll((now) => [...uploads, ...now]),
  };
}

export function UploadList(props: { uploads: Uploads }): JSX.Element {
  return (
    <Show when={props.uploads.all().length > 0}>
      <ul class="uploads">
        <For each={props.uploads.all()}>
          {(upload) => (
            <li class="upload">
              <Show when={upload.preview} fallback={<Icon name="file" />}>
                {(address) => <img src={address()} alt="" />}
              </Show>
              <span class="upload-name">{upload.name}</span>
              <span class="quiet">
                {upload.attachment === null ? t().composer.uploading : sizeText(upload.bytes)}
              </span>
              <IconButton
                icon="close"
                label={t().composer.removeAttachment({ name: upload.name })}
                onClick={() => props.uploads.remove(upload.key)}
              />
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

export function FilePicker(props: { onFiles: (files: readonly File[]) => void }): JSX.Element {
  let input: HTMLInputElement | undefined;
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          props.onFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
      <IconButton icon="clip" label={t().composer.attach} onClick={() => input?.click()} />
    </>
  );
}

/** Returns event handlers for an element. Files that are dropped on the element are attached. */
export function createFileDrop(uploads: Uploads) {
  const [isOver, setOver] = createSignal(false);
  const handlers = {
    onDragOver: (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent & { currentTarget: Element }): void => {
      // The pointer may only have moved to a child element, so check where it went.
      const { relatedTarget } = event;
      if (relatedTarget instanceof Node && event.currentTarget.contains(relatedTarget)) return;
      setOver(false);
    },
    onDrop: (event: DragEvent): void => {
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      uploads.add([...(event.dataTransfer?.files ?? [])]);
    },
  };
  return { isOver, handlers };
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") === true;
}

/** Prevents the browser from leaving the page to show a file that was dropped beside the composer. */
export function refuseStrayDrops(): void {
  addEventListener("dragover", (event) => {
    if (!hasFiles(event) || event.defaultPrevented) return;
    event.preventDefault();
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = "none";
  });
  addEventListener("drop", (event) => {
    if (hasFiles(event)) event.preventDefault();
  });
}

/** Attaches pasted files. Some programs copy text together with a picture of the text; then only the text is pasted. */
export function pasteFiles(event: ClipboardEvent, uploads: Uploads): void {
  const pasted = event.clipboardData;
  const files = [...(pasted?.files ?? [])];
  const isWords = ["text/plain", "text/html"].every((type) => pasted?.types.includes(type));
  if (files.length === 0 || isWords) return;
  event.preventDefault();
  uploads.add(files);
}
