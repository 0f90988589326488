import type { ProviderTest } from "@holdfast/sdk";
import { createSignal } from "solid-js";
import { t } from "../i18n/text.ts";
import { holdfast } from "./client.ts";
import { showToast } from "./toasts.ts";

const [results, setResults] = createSignal<ReadonlyMap<string, boolean>>(new Map());

/** Returns whether the last test of a provider on this page succeeded. Null: it was not tested. Reactive. */
export function lastTest(name: string): boolean | null {
  return results().get(name) ?? null;
}

/** Records the result of a test of the settings that are stored now. */
export function recordTest(name: string, works: boolean): void {
  setResults((before) => new Map(before).set(name, works));
}

/** Tests the stored settings of a provider and shows the result. */
export async function testProvider(name: string): Promise<void> {
  const found = await holdfast.providers.test(name);
  recordTest(name, found.works);
  showTest(name, found);
}

/** Shows the result of a test as a toast. */
export function showTest(name: string, { works, problem, models }: ProviderTest): void {
  const text = (): string =>
    works
      ? t().providers.works({ name, models: models.length })
      : t().providers.fails({ name, problem });
  showToast(text, { tone: works ? "good" : "bad" });
}
