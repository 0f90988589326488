import { Show } from "solid-js";
import type { Accessor, JSX, Resource } from "solid-js";
import { t } from "../../i18n/text.ts";
import { errorText } from "../../state/show-error.ts";

/** Shows a loaded value, or the reason why it could not be loaded. During a reload, the old value stays visible. */
export function Loaded<Value>(props: {
  resource: Resource<Value>;
  children: (value: Accessor<NonNullable<Value>>) => JSX.Element;
}): JSX.Element {
  const failure = (): string | null => {
    const error: unknown = props.resource.error;
    if (error === undefined) return null;
    return errorText(error);
  };
  const value = (): Value | undefined => (failure() === null ? props.resource.latest : undefined);
  return (
    <Show
      when={value()}
      fallback={
        <p class="quiet" role="status">
          {failure() ?? t().app.loading}
        </p>
      }
    >
      {(known) => props.children(known)}
    </Show>
  );
}
