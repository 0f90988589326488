import { en } from "../../packages/web/src/i18n/en.ts";
import { zh } from "../../packages/web/src/i18n/zh.ts";

/** All texts of the web page by their key, in both languages. */
export function interfaceTexts(): { en: Map<string, string>; zh: Map<string, string> } {
  const texts = { en: new Map(flatten(en, "")), zh: new Map(flatten(zh, "")) };
  // Keep only texts that both languages have, so that the same texts can be sampled in both.
  for (const key of texts.en.keys()) if (!texts.zh.has(key)) texts.en.delete(key);
  return texts;
}

function flatten(value: unknown, key: string): [string, string][] {
  if (typeof value === "string") return isText(value) ? [[key, value]] : [];
  if (typeof value === "function") {
    const text = filled(value);
    return text === null ? [] : [[key, text]];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => flatten(part, `${key}.${name}`));
}

/** Calls a text function with placeholders, such as ‹title› or the number 3. Null if the function needs real values. */
function filled(text: Function): string | null {
  const parts = new Proxy({}, { get: (_, name) => placeholder(String(name)) });
  try {
    const result: unknown = Reflect.apply(text, undefined, [parts]);
    const isFilled = typeof result === "string" && !/undefined|NaN|\[object/.test(result);
    return isFilled && isText(result) ? result : null;
  } catch {
    return null;
  }
}

function placeholder(name: string): object {
  return { toString: () => `‹${name}›`, valueOf: () => 3, toLocaleString: () => "3" };
}

/** False for single symbols, which are not text. */
function isText(text: string): boolean {
  return /\p{L}{2}/u.test(text);
}
