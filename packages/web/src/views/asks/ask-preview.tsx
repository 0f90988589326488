import { createSignal, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { AskSubject } from "@holdfast/model/ask-extra.ts";
import { holdfast } from "../../state/client.ts";
import type { OpenAsk } from "../../state/asks.ts";
import { showError } from "../../state/show-error.ts";
import { DiffView } from "../../ui/diff-view.tsx";
import { Output } from "../../ui/output.tsx";

/**
 * The diff or command that an ask is about. The whole text of a long one is loaded on request. The server decides
 * whether it is a diff, because a command may look like one.
 */
export function AskPreview(props: {
  ask: OpenAsk;
  subject: AskSubject;
  preview: string;
}): JSX.Element {
  const [whole, setWhole] = createSignal<string | null>(null);
  const load = async (): Promise<string> => {
    const { sessionId, askId } = props.ask;
    try {
      return setWhole(await holdfast.session(sessionId).askPreview(askId));
    } catch (error) {
      showError(error);
      throw error;
    }
  };
  const text = (): string => whole() ?? props.preview;
  const omitted = (count: number): number => (whole() === null ? count : 0);
  const characters = (): number => omitted(props.subject.omittedCharacters);
  return (
    <div class="ask-preview">
      <Show
        when={props.subject.change}
        fallback={
          <>
            <Output
              text={text()}
              label={t().asks.permission}
              isExact
              loadWhole={characters() > 0 ? load : undefined}
            />
            <Show when={characters() > 0}>
              <p class="diff-omitted">{t().asks.omitted({ characters: characters() })}</p>
            </Show>
          </>
        }
      >
        {(change) => (
          <DiffView
            diff={text()}
            path={props.subject.subject ?? ""}
            counts={change()}
            omitted={omitted(change().omitted)}
            // If the whole diff cannot be loaded, `load` itself shows the error, so ignore the error here.
            onWhole={() => void load().catch(() => {})}
          />
        )}
      </Show>
    </div>
  );
}
