import { Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { editorLink, editorNames, isInside, isThisMachine } from "../../model/editor-link.ts";
import type { FilePlace } from "../../model/editor-link.ts";
import { editor } from "../../state/settings.ts";
import { Link } from "../link.tsx";

/**
 * A link that opens a file in the user's editor. The browser passes the link to an editor on this machine, so the file
 * must be on this machine: the link is shown only if the server runs here. If no editor is chosen, the link opens the
 * setting.
 */
export function EditorLink(props: { place: FilePlace }): JSX.Element {
  const isLocal = isThisMachine(location.hostname);
  const chosen = () => {
    const name = editor();
    return name === "none" ? null : name;
  };
  const address = (): string | null => editorLink(editor(), props.place);
  return (
    <Show when={isLocal && isInside(props.place.path, props.place.directory)}>
      <Show
        when={chosen()}
        fallback={
          <Link class="link-button" to={{ page: "settings", section: "look" }}>
            {t().changes.chooseEditor}
          </Link>
        }
      >
        {(name) => (
          <Show when={address()}>
            {(href) => (
              <a class="link-button" href={href()}>
                {t().changes.openIn({ editor: editorNames[name()] })}
              </a>
            )}
          </Show>
        )}
      </Show>
    </Show>
  );
}
