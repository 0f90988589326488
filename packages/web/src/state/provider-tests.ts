import type { Provider, ProviderTest } from "@holdfast/sdk";
import { createSignal } from "solid-js";
import { t } from "../i18n/text.ts";
import { holdfast } from "./client.ts";
import { readStored, writeStored } from "./storage.ts";
import { showToast } from "./toasts.ts";

interface Result {
  /** The tested settings. The result says nothing about other settings. */
  readonly settings: string;
  readonly works: boolean;
}

const readResults = (): ReadonlyMap<string, Result> =>
  new Map(readStored<readonly [string, Result][]>("providerTests", []));

/** Results by provider name. They are kept in the browser, so that a reload of the page does not lose them. */
const [results, setResults] = createSignal(readResults());

/** Returns whether the last test of these settings in this browser succeeded. Null: they were not tested. Reactive. */
export function lastTest(provider: Provider): boolean | null {
  const result = results().get(provider.name);
  return result?.settings === settingsOf(provider) ? result.works : null;
}

/** Records the result of a test of the settings that are stored now. */
export async function recordTest(name: string, works: boolean): Promise<void> {
  const { items } = await holdfast.providers.list();
  const provider = items.find((each) => each.name === name);
  if (provider === undefined) return;
  const now = new Map(readResults()).set(name, { settings: settingsOf(provider), works });
  setResults(now);
  writeStored("providerTests", [...now]);
}

/** Returns the settings on which a test depends. The default model is left out: people choose it after the test. */
function settingsOf({ protocol, baseUrl, key }: Provider): string {
  return JSON.stringify([protocol, baseUrl, key]);
}

/** Tests the stored settings of a provider and shows the result. */
export async function testProvider(name: string): Promise<void> {
  const found = await holdfast.providers.test(name);
  showTest(name, found);
  await recordTest(name, found.works);
}

/** Shows the result of a test as a toast. */
export function showTest(name: string, { works, problem, field, models }: ProviderTest): void {
  const text = (): string =>
    works
      ? t().providers.works({ name, models: models.length })
      : t().providers.fails({ name, field, problem });
  showToast(text, { tone: works ? "good" : "bad" });
}
