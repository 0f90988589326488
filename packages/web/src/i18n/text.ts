import { createEffect, createRoot, createSignal } from "solid-js";
import { locale } from "../state/settings.ts";
import { en } from "./en.ts";
import type { Text } from "./en.ts";

/** Chinese strings; null until loaded. They are a separate file, so that the page loads one language only. */
const [chinese, setChinese] = createSignal<Text | null>(null);

/** Returns the strings in the chosen language. Reactive: views update when the language changes. */
export function t(): Text {
  return locale() === "zh" ? (chinese() ?? en) : en;
}

/** Loads the strings of the chosen language. If this fails, the page stays in English. */
export async function loadText(): Promise<void> {
  if (locale() !== "zh" || chinese() !== null) return;
  try {
    const { zh } = await import("./zh.ts");
    setChinese(zh);
  } catch (error) {
    console.error(error);
  }
}

createRoot(() => createEffect(() => void loadText()));
