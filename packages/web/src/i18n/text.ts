import { locale } from "../state/settings.ts";
import { en } from "./en.ts";
import type { Text } from "./en.ts";
import { zh } from "./zh.ts";

const texts: Readonly<Record<"en" | "zh", Text>> = { en, zh };

/** Returns the strings in the chosen language. Reactive: views update when the language changes. */
export function t(): Text {
  return texts[locale()];
}
