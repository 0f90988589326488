import { Show } from "solid-js";
import type { JSX } from "solid-js";
import { CopyButton } from "../../ui/copy-button.tsx";

/** Shows a secret that the server returns only once, with a button that copies the secret. */
export function NewSecret(props: { hint: string; secret: string | null }): JSX.Element {
  return (
    <Show when={props.secret}>
      {(shown) => (
        <div role="status">
          <p>{props.hint}</p>
          <pre class="command">
            <code>{shown()}</code>
            <CopyButton text={shown} />
          </pre>
        </div>
      )}
    </Show>
  );
}
