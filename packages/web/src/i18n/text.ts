import { locale } from "../state/settings.ts";
import { en } from "./en.ts";
import type { Text } from "./en.ts";
import { zh } from "./zh.ts";

const texts: Readonly<Record<"en" | "zh", Text>> = { en, zh };

/** What the page says, in the chosen language; follows a change of it. */
export function t(): Text {
  return texts[locale()];
}
