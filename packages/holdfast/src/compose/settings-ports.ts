import type { AppOptions } from "../server/app.ts";
import { configViews } from "./config-views.ts";
import type { Setup } from "./setup.ts";
import { workspaceViews } from "./workspace-views.ts";

/** What the HTTP application offers of a setup. */
export type SettingsPorts = Required<Pick<AppOptions, "workspaces" | "providers" | "configs">>;

export function settingsPorts(setup: Setup): SettingsPorts {
  return {
    workspaces: workspaceViews(setup.host, setup.redact),
    providers: setup.providers,
    configs: configViews(setup.configs),
  };
}
