import type { Text } from "./en.ts";
import { access } from "./zh/access.ts";
import { asks } from "./zh/asks.ts";
import { changes } from "./zh/changes.ts";
import { composer } from "./zh/composer.ts";
import { conversation } from "./zh/conversation.ts";
import { monitoring } from "./zh/monitoring.ts";
import { page } from "./zh/page.ts";
import { settings } from "./zh/settings.ts";
import { tour } from "./zh/tour.ts";

export const zh: Text = {
  ...page,
  ...changes,
  ...conversation,
  ...composer,
  ...asks,
  ...settings,
  ...access,
  ...monitoring,
  ...tour,
};
