import { Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { sandboxProblem } from "../../state/feed.ts";
import { Icon } from "../../ui/icon.tsx";
import { Link } from "../link.tsx";

/** Warns that commands run without a sandbox on the server's machine. */
export function SandboxAlert(): JSX.Element {
  return (
    <Show when={sandboxProblem()}>
      {(problem) => (
        <Link
          class="head-alert bad no-sandbox"
          to={{ page: "health" }}
          title={t().health.noSandbox({ problem: problem() })}
        >
          <Icon name="alert" size={12} />
          <span>{t().health.noSandboxShort}</span>
        </Link>
      )}
    </Show>
  );
}
