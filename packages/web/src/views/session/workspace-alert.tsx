import { createMemo, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { isOnItsWay, workspaceChoices } from "../../state/workspace.ts";
import { Icon } from "../../ui/icon.tsx";
import { Link } from "../link.tsx";
import { chooseDirectory } from "../settings/directory-picker.tsx";

/**
 * Warns about config errors and missing MCP servers of a directory, with a link to the settings.
 */
export function WorkspaceAlert(props: { directory: string }): JSX.Element {
  const choices = workspaceChoices(() => props.directory);
  const alert = createMemo(() => {
    const { workspace } = choices();
    if (workspace === null) return null;
    const { problem, mcp } = workspace;
    if (problem !== null) {
      return {
        text: t().workspace.problem,
        title: problem,
        section: "config",
        isBad: true,
      } as const;
    }
    const failed = mcp.filter(({ status }) => status === "failed");
    const late = mcp.filter(isOnItsWay);
    const missing = failed.length > 0 ? failed : late;
    if (missing.length === 0) return null;
    const names = missing.map(({ name }) => name);
    return {
      text:
        failed.length > 0 ? t().workspace.mcpFailed({ names }) : t().workspace.mcpLate({ names }),
      title: missing.map(({ name, problem: why }) => `${name}: ${why ?? ""}`).join("\n"),
      section: "mcp",
      isBad: failed.length > 0,
    } as const;
  });
  return (
    <Show when={alert()}>
      {(known) => (
        <Link
          class={known().isBad ? "head-alert bad" : "head-alert"}
          to={{ page: "settings", section: known().section }}
          title={known().title}
          onClick={() => chooseDirectory(props.directory)}
        >
          <Icon name={known().isBad ? "alert" : "wait"} size={12} />
          <span>{known().text}</span>
        </Link>
      )}
    </Show>
  );
}
