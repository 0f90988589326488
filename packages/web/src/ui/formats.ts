import { locale } from "../state/settings.ts";

// Creating a formatter is slow, so each is created once for a language and its options.
const numbers = new Map<string, Intl.NumberFormat>();
const dates = new Map<string, Intl.DateTimeFormat>();

function languageTag(): string {
  return locale() === "zh" ? "zh-CN" : "en";
}

export function numberText(value: number, options: Intl.NumberFormatOptions = {}): string {
  const key = `${languageTag()} ${JSON.stringify(options)}`;
  const format = numbers.get(key) ?? new Intl.NumberFormat(languageTag(), options);
  numbers.set(key, format);
  return format.format(value);
}

export function dateText(at: number, options: Intl.DateTimeFormatOptions): string {
  return dateFormat(options).format(at);
}

export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  // A formatter keeps its time zone, and the device may move to another one.
  const zone = new Date().getTimezoneOffset();
  const key = `${languageTag()} ${zone} ${JSON.stringify(options)}`;
  const format = dates.get(key) ?? new Intl.DateTimeFormat(languageTag(), options);
  dates.set(key, format);
  return format;
}
