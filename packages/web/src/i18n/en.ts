import { composer } from "./en/composer.ts";
import { conversation } from "./en/conversation.ts";
import { page } from "./en/page.ts";
import { settings } from "./en/settings.ts";
import { watching } from "./en/watching.ts";

/** Every word of the page. What has parts is a function of them. */
export const en = { ...page, ...conversation, ...composer, ...settings, ...watching };

export type Text = typeof en;
