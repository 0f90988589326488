import { access } from "./en/access.ts";
import { asks } from "./en/asks.ts";
import { changes } from "./en/changes.ts";
import { composer } from "./en/composer.ts";
import { conversation } from "./en/conversation.ts";
import { monitoring } from "./en/monitoring.ts";
import { page } from "./en/page.ts";
import { settings } from "./en/settings.ts";
import { tour } from "./en/tour.ts";

/** All English strings of the page. A string that contains values is a function of these values. */
export const en = {
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

export type Text = typeof en;
