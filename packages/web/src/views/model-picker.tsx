import type { ListedModel, ModelList } from "@holdfast/sdk";
import { createMemo, createResource, createSignal, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { holdfast } from "../state/client.ts";
import { errorText } from "../state/show-error.ts";
import { ChoiceDialog } from "../ui/choice-dialog.tsx";
import type { Choice } from "../ui/choice-dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { amount, money } from "../ui/numbers.ts";

const shownAtMost = 200;

/** A button with the model of the next prompts. It opens a list of all models with their context and price. */
export function ModelPicker(props: {
  /** The chosen model; empty: the default. */
  value: string;
  /** Name of the default model. */
  usual: string;
  directory: string | null;
  onPick: (model: string) => void;
}): JSX.Element {
  const [isOpen, setOpen] = createSignal(false);
  return (
    <>
      <button
        type="button"
        class="run-choice"
        aria-haspopup="dialog"
        title={t().models.choose}
        aria-label={t().models.current({ model: props.value === "" ? props.usual : props.value })}
        onClick={() => setOpen(true)}
      >
        <span>{props.value === "" ? props.usual : props.value}</span>
        <Icon name="chevronDown" size={12} />
      </button>
      <Show when={isOpen()}>
        <ModelDialog {...props} onClose={() => setOpen(false)} />
      </Show>
    </>
  );
}

export function ModelDialog(props: {
  /** The chosen model, which gets a check mark; empty: the default. */
  value?: string;
  usual: string | null;
  directory: string | null;
  /** Title of the dialog. Default: "Choose a model". */
  label?: string;
  /** Only models of this provider. */
  provider?: string;
  onPick: (model: string) => void;
  onClose: () => void;
}): JSX.Element {
  const [typed, setTyped] = createSignal("");
  const loadModels = async (): Promise<Pick<ModelList, "items" | "problems">> => {
    const { directory, provider } = props;
    const place = directory === null ? {} : { directory };
    const only = provider === undefined ? {} : { provider };
    return holdfast.providers
      .models({ ...place, ...only, limit: 2_000 })
      .catch((error: unknown) => {
        return { items: [], problems: [{ provider: "", message: errorText(error) }] };
      });
  };
  const [models] = createResource(loadModels, { initialValue: { items: [], problems: [] } });
  const words = createMemo(() => typed().toLowerCase().split(/\s+/));
  const found = createMemo(() =>
    models.latest.items.filter(({ id, name }) => {
      const text = `${id} ${name ?? ""}`.toLowerCase();
      return words().every((word) => text.includes(word));
    }),
  );
  const choices = createMemo((): readonly Choice[] => {
    const usual: readonly Choice[] =
      props.usual === null || typed() !== ""
        ? []
        : [
            {
              label: t().models.usual,
              detail: props.usual,
              icon: props.value === "" ? "check" : "bolt",
              run: () => props.onPick(""),
            },
          ];
    return [
      ...usual,
      ...found()
        .slice(0, shownAtMost)
        .map((model) => choiceOf(model, props)),
    ];
  });
  const problems = (): string =>
    models.latest.problems
      .map(({ provider, message }) => (provider === "" ? message : `${provider}: ${message}`))
      .join(" · ");
  return (
    <ChoiceDialog
      label={props.label ?? t().models.choose}
      placeholder={t().models.placeholder}
      typed={typed()}
      onType={setTyped}
      choices={choices()}
      empty={models.loading ? t().app.loading : t().models.none}
      foot={
        <>
          <Show when={found().length > shownAtMost}>
            <p class="palette-foot quiet" role="status">
              {t().models.more({ count: found().length - shownAtMost })}
            </p>
          </Show>
          <Show when={problems() !== ""}>
            <p class="palette-foot quiet">{problems()}</p>
          </Show>
        </>
      }
      onClose={() => props.onClose()}
    />
  );
}

function choiceOf(
  model: ListedModel,
  { value, onPick }: { value?: string; onPick: (model: string) => void },
): Choice {
  const { id, provider, context, price, warning } = model;
  const facts = [
    t().models.context({ tokens: amount(context) }),
    ...(price === null
      ? []
      : [t().models.price({ input: money(price.input), output: money(price.output) })]),
    ...(warning === null ? [] : [warning]),
  ];
  return {
    label: id,
    detail: facts.join(" · "),
    icon: id === value ? "check" : warning === null ? "bolt" : "alert",
    group: provider,
    run: () => onPick(id),
  };
}
