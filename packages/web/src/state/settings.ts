import { createEffect, createRoot, createSignal } from "solid-js";
import type { Editor } from "../model/editor-link.ts";
import { readStored, writeStored } from "./storage.ts";

export type Theme = "system" | "light" | "dark";
export type Locale = "en" | "zh";

interface Settings {
  readonly theme: Theme;
  readonly locale: Locale;
  /** Show browser notifications while the page is open. */
  readonly notify: boolean;
  /** Id of the push subscription of this browser. Null: push messages are off. */
  readonly push: string | null;
  /** Use single-letter shortcuts, such as Y to allow a request. */
  readonly letterKeys: boolean;
  /** The editor in which the page opens files. */
  readonly editor: Editor;
  /** Show the old and the new file side by side in the list of changes. */
  readonly splitDiff: boolean;
}

const usual: Settings = {
  theme: "system",
  locale: navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en",
  notify: false,
  push: null,
  letterKeys: true,
  editor: "none",
  splitDiff: false,
};

const [settings, setSettings] = createSignal<Settings>({
  ...usual,
  ...readStored<Partial<Settings>>("settings", {}),
});

export const theme = (): Theme => settings().theme;
export const locale = (): Locale => settings().locale;
export const notify = (): boolean => settings().notify;
export const push = (): string | null => settings().push;
export const letterKeys = (): boolean => settings().letterKeys;
export const editor = (): Editor => settings().editor;
export const splitDiff = (): boolean => settings().splitDiff;

/** Keeps settings that another tab has stored, even if this tab was frozen and has not been told. */
export function changeSettings(change: Partial<Settings>): void {
  const stored = readStored<Partial<Settings>>("settings", {});
  writeStored(
    "settings",
    setSettings((before) => ({ ...before, ...stored, ...change })),
  );
}

/** Applies settings that another tab has changed. */
addEventListener("storage", ({ key }) => {
  if (key === "holdfast.settings") setSettings({ ...usual, ...readStored("settings", usual) });
});

createRoot(() => {
  createEffect(() => {
    const { dataset } = document.documentElement;
    if (theme() === "system") delete dataset["theme"];
    else dataset["theme"] = theme();
  });
  createEffect(() => (document.documentElement.lang = locale() === "zh" ? "zh-CN" : "en"));
});
