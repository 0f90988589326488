import { createMemo, createSignal, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { askSubject } from "@holdfast/model/ask-extra.ts";
import type { RuleScope } from "@holdfast/model/rule-scope.ts";
import { headOf, visibleText } from "@holdfast/model/visible-text.ts";
import { answerAsk, denyAsk } from "../../state/asks.ts";
import type { OpenAsk } from "../../state/asks.ts";
import { createAnswerKeys } from "./answer-keys.ts";

const scopes = ["session", "project"] as const;
/** Maximum length of the command or path on a button. The preview above shows the whole command. */
const shownTarget = { lines: 1, characters: 80 };

/** Buttons that allow or deny a permission request, each with its scope. */
export function PermissionAnswer(props: {
  ask: OpenAsk;
  isFirst: boolean;
  /** Whether clicks are accepted: the request has been at its place for a moment. */
  isNoticed: boolean;
}): JSX.Element {
  const [reason, setReason] = createSignal("");
  const subject = createMemo(() => askSubject(props.ask.extra));
  const hasKeys = createAnswerKeys(() => props.isFirst);
  const deny = (): void => denyAsk(props.ask, reason());
  const allow = (remember?: (typeof scopes)[number]): void => {
    if (!props.isNoticed) return;
    void answerAsk(props.ask, {
      verdict: "allow",
      ...(remember === undefined ? {} : { remember }),
    });
  };
  const scopeText = (scope: (typeof scopes)[number]): string => {
    const found = subject().scopes;
    if (found === null || found.length === 0)
      return t().asks.allowRule({ rule: subject().remembers ?? "", scope });
    const shown = found.map(shownScope);
    return scope === "session"
      ? t().asks.allowSession({ scopes: shown })
      : t().asks.allowProject({ scopes: shown });
  };
  return (
    <div class="ask-actions">
      <div class="ask-verdict">
        <button
          type="button"
          class="button primary"
          data-key={hasKeys() ? "allow" : undefined}
          aria-keyshortcuts={hasKeys() ? "y" : undefined}
          aria-disabled={!props.isNoticed}
          onClick={() => allow()}
        >
          <span>{t().asks.allow}</span>
          <Show when={hasKeys()}>
            <kbd>Y</kbd>
          </Show>
        </button>
        <button
          type="button"
          class="button"
          data-key={hasKeys() ? "deny" : undefined}
          aria-keyshortcuts={hasKeys() ? "x" : undefined}
          aria-disabled={!props.isNoticed}
          onClick={() => {
            if (props.isNoticed) deny();
          }}
        >
          <span>{t().asks.deny}</span>
          <Show when={hasKeys()}>
            <kbd>X</kbd>
          </Show>
        </button>
      </div>
      <input
        class="ask-reason"
        value={reason()}
        placeholder={t().asks.whyNot}
        aria-label={t().asks.whyNot}
        onInput={(event) => setReason(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.isComposing) deny();
        }}
      />
      <Show when={subject().remembers}>
        {(rule) => (
          <div class="ask-scopes">
            <For each={scopes}>
              {(scope) => (
                <button
                  type="button"
                  class="button small"
                  title={t().asks.remembers({ rule: rule() })}
                  aria-disabled={!props.isNoticed}
                  onClick={() => allow(scope)}
                >
                  {visibleText(scopeText(scope))}
                </button>
              )}
            </For>
          </div>
        )}
      </Show>
    </div>
  );
}

function shownScope(scope: RuleScope): RuleScope {
  const head = headOf(scope.target, shownTarget);
  return head === scope.target ? scope : { ...scope, target: `${head.trimEnd()} …` };
}
