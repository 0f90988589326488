import { createSignal, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { holdfast } from "../../state/client.ts";
import { attempt } from "../../state/show-error.ts";
import { Output } from "../../ui/output.tsx";
import { useSession } from "./session-context.ts";

/** Where a stream has cut a long text: the whole of it, once somebody wants it. */
export function WholeText(props: { cutAt: number | null }): JSX.Element {
  const open = useSession();
  const [whole, setWhole] = createSignal<string | null>(null);
  const load = async (seq: number): Promise<void> => {
    const { content } = await holdfast.session(open.sessionId).event(seq);
    if (content === null || typeof content !== "object") return;
    if ("output" in content) setWhole(String(content.output));
    else if ("text" in content) setWhole(String(content.text));
  };
  return (
    <Show when={props.cutAt}>
      {(seq) => (
        <Show
          when={whole()}
          fallback={
            <button
              type="button"
              class="link-button"
              onClick={() => void attempt(() => load(seq()))}
            >
              {t().conversation.showWhole}
            </button>
          }
        >
          {(text) => <Output text={text()} label={t().calls.output} />}
        </Show>
      )}
    </Show>
  );
}
