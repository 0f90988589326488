import { settingsSections } from "../../model/route.ts";
import type { SettingsSection } from "../../model/route.ts";
import { isAdmin } from "../../state/account.ts";

/**
 * Returns the sections of the settings that the user may see. Only admins see webhooks, and the config, because it can
 * start programs.
 */
export function visibleSections(): readonly SettingsSection[] {
  return settingsSections.filter((each) => (each !== "config" && each !== "webhooks") || isAdmin());
}
