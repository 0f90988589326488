import { createResource, createSignal, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { AskSubject } from "@holdfast/model/ask-extra.ts";
import { holdfast } from "../../state/client.ts";
import type { OpenAsk } from "../../state/asks.ts";
import { showError } from "../../state/show-error.ts";
import { DiffView } from "../../ui/diff-view.tsx";
import { Output } from "../../ui/output.tsx";

/** The diff or command that an ask is about. The whole text of a long diff is loaded on request. */
export function AskPreview(props: {
  ask: OpenAsk;
  subject: AskSubject;
  preview: string;
}): JSX.Element {
  const [isWanted, setWanted] = createSignal(false);
  const [whole] = createResource(
    () => (isWanted() ? props.ask : null),
    ({ sessionId, askId }) =>
      holdfast
        .session(sessionId)
        .askPreview(askId)
        .catch((error: unknown) => {
          setWanted(false);
          showError(error);
          return null;
        }),
    // Set an initial value, so that the page stays visible while the diff is loaded.
    { initialValue: null },
  );
  const text = (): string => whole.latest ?? props.preview;
  const omitted = (): number => (whole.latest === null ? (props.subject.change?.omitted ?? 0) : 0);
  return (
    <div class="ask-preview">
      <Show
        when={props.preview.includes("\n@@ ")}
        fallback={<Output text={props.preview} label={t().asks.permission} />}
      >
        <DiffView
          diff={text()}
          path={props.subject.subject ?? ""}
          counts={props.subject.change}
          omitted={omitted()}
          onWhole={() => setWanted(true)}
        />
      </Show>
    </div>
  );
}
