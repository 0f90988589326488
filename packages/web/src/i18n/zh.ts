import type { Text } from "./en.ts";
import { composer } from "./zh/composer.ts";
import { conversation } from "./zh/conversation.ts";
import { page } from "./zh/page.ts";
import { settings } from "./zh/settings.ts";
import { watching } from "./zh/watching.ts";

export const zh: Text = { ...page, ...conversation, ...composer, ...settings, ...watching };
