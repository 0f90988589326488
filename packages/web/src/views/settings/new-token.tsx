import type { Role } from "@holdfast/sdk";
import { createSignal, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { holdfast } from "../../state/client.ts";
import { attempt } from "../../state/show-error.ts";
import { NewSecret } from "./new-secret.tsx";

const roles: readonly Role[] = ["observe", "propose", "prompt", "admin"];

/** A form that creates a token and shows its secret once. */
export function NewToken(props: { onCreated: () => void }): JSX.Element {
  const [secret, setSecret] = createSignal<string | null>(null);
  const [role, setRole] = createSignal<Role>("prompt");
  let name: HTMLInputElement | undefined;
  let directories: HTMLInputElement | undefined;
  const create = (event: SubmitEvent): void => {
    event.preventDefault();
    const limit = directories?.value.trim() ?? "";
    void attempt(async () => {
      const created = await holdfast.tokens.create({
        name: name?.value.trim() ?? "",
        role: role(),
        directories: limit === "" ? null : [limit],
      });
      setSecret(created.secret);
      props.onCreated();
    });
  };
  return (
    <form class="card" onSubmit={create}>
      <label class="field inline">
        <span>{t().access.name}</span>
        <input ref={name} required pattern="[A-Za-z0-9._@+\-]{1,64}" spellcheck={false} />
      </label>
      <label class="field inline">
        <span>{t().access.role}</span>
        <select
          onChange={(event) =>
            setRole(roles.find((each) => each === event.currentTarget.value) ?? "prompt")
          }
        >
          <For each={roles}>
            {(each) => (
              <option value={each} selected={each === role()}>
                {t().access.roles[each]}
              </option>
            )}
          </For>
        </select>
      </label>
      <Show when={role() !== "admin"}>
        <label class="field inline">
          <span>{t().access.directory}</span>
          <input ref={directories} spellcheck={false} placeholder="/" />
        </label>
      </Show>
      <div class="buttons">
        <button type="submit" class="button">
          {t().access.create}
        </button>
      </div>
      <NewSecret hint={t().access.secret} secret={secret()} />
    </form>
  );
}
