import { settingsSections } from "../../model/route.ts";
import type { SettingsSection } from "../../model/route.ts";
import { isAdmin } from "../../state/account.ts";

/** Sections of the settings that the user may see. Only an admin sees a config, which can name commands, and webhooks. */
export function visibleSections(): readonly SettingsSection[] {
  return settingsSections.filter((each) => (each !== "config" && each !== "webhooks") || isAdmin());
}
