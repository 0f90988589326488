import { Refused } from "@holdfast/sdk";
import type { Provider, ProviderChange, ProviderTest } from "@holdfast/sdk";
import { createSignal, createUniqueId, onCleanup, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { holdfast } from "../../state/client.ts";
import { applied, change } from "../../state/maintenance.ts";
import { recordTest, showTest } from "../../state/provider-tests.ts";
import { errorText } from "../../state/show-error.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ModelDialog } from "../model-picker.tsx";

type Field = NonNullable<ProviderTest["field"]>;

/** Milliseconds after which the form says that the provider has not answered yet. */
const slowAfter = 3_000;

interface Problem {
  readonly field: Field | null;
  readonly message: string;
}

/**
 * Connects a new provider or changes an existing one. The settings are tested before they are stored, and fields that
 * the user has not changed keep their values.
 */
export function ProviderForm(props: {
  /** Null: a new provider. */
  provider: Provider | null;
  /** Name to fill in for a new provider. Undefined: the user types the name. */
  name?: string;
  /** The provider's name as its company writes it, such as OpenAI. */
  label?: string;
  /** Initial value of the address field for a new provider. */
  baseUrl?: string;
  /** True for a server of the user's own, which has no default address. */
  isOwnServer?: boolean;
  /** Address of the page on which people create a key. */
  keyPage?: string;
  /** Text above the fields. */
  notice?: string;
  onClose: () => void;
  onSaved: () => void;
}): JSX.Element {
  const [name, setName] = createSignal(props.provider?.name ?? props.name ?? "");
  const [key, setKey] = createSignal("");
  const [address, setAddress] = createSignal(props.baseUrl ?? shownAddress(props.provider));
  const [model, setModel] = createSignal(props.provider?.defaultModel ?? "");
  const [problem, setProblem] = createSignal<Problem | null>(null);
  const [isBusy, setBusy] = createSignal(false);
  const [isSlow, setSlow] = createSignal(false);
  const [isPicking, setPicking] = createSignal(false);
  /** The default model that Holdfast uses if the user chooses none. Set after a new provider was stored. */
  const [usual, setUsual] = createSignal<string | null>(null);
  const gone = new AbortController();
  onCleanup(() => gone.abort());
  const input = (): ProviderChange => ({
    ...(key().trim() === "" ? {} : { key: key().trim() }),
    ...changed("baseUrl", address(), shownAddress(props.provider)),
    ...changed("defaultModel", model(), props.provider?.defaultModel ?? ""),
    // Send a protocol only for a provider that Holdfast does not know. For the others, Holdfast chooses the protocol.
    ...(props.provider === null && props.name === undefined && address().trim() !== ""
      ? { protocol: "compatible" }
      : {}),
  });
  /** False for an existing provider: it may be a server of the user's own, which has no default address. */
  const isOptional = (): boolean => props.provider === null && props.isOwnServer !== true;
  /** Result of the last test of these settings. */
  let hasWorked = false;
  const save = async (): Promise<void> => {
    const answer =
      props.provider === null
        ? await holdfast.providers.connect(name().trim(), connectInput(input()))
        : await holdfast.providers.change(name(), input());
    applied(answer);
    await recordTest(name().trim(), hasWorked);
  };
  /** Offers the models of a new provider, unless the form names one or none is known. */
  const offerModels = async (): Promise<void> => {
    if (props.provider !== null || model().trim() !== "") return props.onSaved();
    const provider = name().trim();
    const { total, model: chosen } = await holdfast.providers.models({ provider, limit: 1 });
    if (total === 0) return props.onSaved();
    setUsual(chosen?.startsWith(`${provider}/`) === true ? chosen : "");
  };
  const pickDefault = (id: string): void => {
    isChosen = id !== "";
    if (!isChosen) return;
    const defaultModel = id.slice(name().trim().length + 1);
    void change(() => holdfast.providers.change(name().trim(), { defaultModel })).then(() =>
      props.onSaved(),
    );
  };
  let isChosen = false;
  const test = async (): Promise<boolean> => {
    const options = { change: input(), signal: gone.signal };
    const found = await holdfast.providers.test(name().trim(), options);
    const { works, problem: why, field } = found;
    hasWorked = works;
    if (works) showTest(name(), found);
    else setProblem({ field, message: t().providers.refused({ field, problem: why }) });
    return works;
  };
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    if (isBusy()) return;
    setBusy(true);
    setProblem(null);
    const timer = setTimeout(() => setSlow(true), slowAfter);
    try {
      await work();
    } catch (error) {
      if (gone.signal.aborted) return;
      setProblem(problemOf(error));
    } finally {
      clearTimeout(timer);
      setSlow(false);
      setBusy(false);
    }
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    void attempt(async () => {
      // If the form is closed during the test, store nothing.
      if (!(await test()) || gone.signal.aborted) return;
      await save();
      await offerModels();
    });
  };
  return (
    <Dialog
      title={
        props.provider === null
          ? t().providers.connectTitle({ name: props.label ?? "" })
          : t().providers.changeTitle({ name: name() })
      }
      onClose={() => props.onClose()}
    >
      <form class="stack" onSubmit={submit} autocomplete="off">
        <Show when={props.notice}>{(notice) => <p class="quiet">{notice()}</p>}</Show>
        <Show when={props.provider === null && props.name === undefined}>
          <FormField
            field="name"
            label={t().providers.name}
            value={name()}
            problem={problem()}
            onInput={setName}
            required
            autofocus
          />
        </Show>
        <FormField
          field="key"
          label={t().providers.key}
          hint={keyHint(props.provider)}
          type="password"
          value={key()}
          problem={problem()}
          onInput={setKey}
          autofocus={props.provider !== null || props.name !== undefined}
        />
        <Show when={props.keyPage}>
          {(page) => (
            <a class="key-page" href={page()} target="_blank" rel="noreferrer">
              {t().providers.getKey}
            </a>
          )}
        </Show>
        <FormField
          field="baseUrl"
          label={isOptional() ? t().providers.addressOptional : t().providers.address}
          hint={
            props.isOwnServer === true && props.name === undefined ? t().providers.addressHint : ""
          }
          type="url"
          value={address()}
          problem={problem()}
          onInput={setAddress}
        />
        <FormField
          field="defaultModel"
          label={t().providers.modelOptional}
          value={model()}
          problem={problem()}
          onInput={setModel}
        />
        <Show when={props.provider?.status === "connected"}>
          <button type="button" class="button small" onClick={() => setPicking(true)}>
            {t().models.choose}
          </button>
        </Show>
        <Show when={usual() !== null}>
          <ModelDialog
            label={t().providers.chooseDefault({ name: props.label ?? name() })}
            usual={usual() === "" ? null : usual()}
            directory={null}
            provider={name().trim()}
            onPick={pickDefault}
            // The dialog closes before it calls onPick.
            onClose={() => queueMicrotask(() => isChosen || props.onSaved())}
          />
        </Show>
        <Show when={isPicking()}>
          <ModelDialog
            usual={null}
            directory={null}
            provider={name()}
            onPick={(id) =>
              setModel(id.startsWith(`${name()}/`) ? id.slice(name().length + 1) : id)
            }
            onClose={() => setPicking(false)}
          />
        </Show>
        <Show when={problem()?.field === null ? problem() : null}>
          {(known) => (
            <p class="field-problem" role="alert">
              {known().message}
            </p>
          )}
        </Show>
        <p class="quiet" role="status">
          {isBusy() ? t().providers.testing : ""} {isSlow() ? t().providers.slow : ""}
        </p>
        <div class="buttons">
          <button type="button" class="button" onClick={() => props.onClose()}>
            {t().app.cancel}
          </button>
          <Show when={problem() !== null && problem()?.field !== "name"}>
            <button
              type="button"
              class="button"
              disabled={isBusy()}
              onClick={() => void attempt(() => save().then(() => props.onSaved()))}
            >
              {t().providers.saveAnyway}
            </button>
          </Show>
          <button type="submit" class="button primary" disabled={isBusy()}>
            {props.provider === null ? t().providers.testAndConnect : t().providers.testAndSave}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** A labelled text field that shows the problem with its value. */
function FormField(props: {
  field: Field;
  label: string;
  hint?: string;
  type?: string;
  value: string;
  problem: Problem | null;
  onInput: (value: string) => void;
  required?: boolean;
  autofocus?: boolean;
}): JSX.Element {
  const about = createUniqueId();
  const problem = (): string | null =>
    props.problem?.field === props.field ? props.problem.message : null;
  return (
    <label class="field">
      <span>{props.label}</span>
      <input
        name={props.field}
        type={props.type ?? "text"}
        value={props.value}
        required={props.required}
        autofocus={props.autofocus}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={problem() !== null}
        aria-describedby={about}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <span id={about} role={problem() === null ? undefined : "alert"}>
        <Show when={problem()} fallback={props.hint}>
          {(message) => <span class="field-problem">{message()}</span>}
        </Show>
      </span>
    </label>
  );
}

function keyHint(provider: Provider | null): string {
  const known = provider?.key ?? null;
  return known === null ? t().providers.keyHint : t().providers.keyKept({ key: known });
}

/** Returns the address for the form. Empty if the server has replaced a password with ***, so that *** is not saved. */
function shownAddress(provider: Provider | null): string {
  return provider === null || provider.baseUrl.includes("//***@") ? "" : provider.baseUrl;
}

function changed(
  field: "baseUrl" | "defaultModel",
  now: string,
  before: string,
): { [field: string]: string | null } {
  const value = now.trim();
  if (value === before) return {};
  return { [field]: value === "" ? null : value };
}

/** Converts the form's change to the settings of a new provider, which has no old values to keep or clear. */
function connectInput({ key, baseUrl, protocol, defaultModel }: ProviderChange) {
  return {
    key: key ?? null,
    ...(typeof baseUrl === "string" ? { baseUrl } : {}),
    ...(typeof defaultModel === "string" ? { defaultModel } : {}),
    ...(protocol === undefined ? {} : { protocol }),
  };
}

const fields: readonly Field[] = ["name", "key", "baseUrl", "defaultModel"];

function problemOf(error: unknown): Problem {
  const field = fieldOf(error);
  if (field === null || !(error instanceof Error)) return { field, message: errorText(error) };
  return { field, message: t().providers.refused({ field, problem: error.message }) };
}

/** Returns the field that the server names as the cause of a refusal. */
function fieldOf(error: unknown): Field | null {
  if (!(error instanceof Refused) || error.code !== "invalid") return null;
  const { field, issues } = error.details;
  const named = field ?? issues?.[0]?.field.split(".").at(-1) ?? "";
  // The name is the part `provider` of the request's path.
  return named === "provider" ? "name" : (fields.find((each) => each === named) ?? null);
}
