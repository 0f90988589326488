import { languageTag } from "./time.tsx";

/** Formats a count in short form: 950, 1.2K, 3.4M. */
export function amount(count: number): string {
  const options = { notation: "compact", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(languageTag(), options).format(count);
}

/** Formats a count with all digits, in groups: 12,345. */
export function whole(count: number): string {
  return new Intl.NumberFormat(languageTag()).format(count);
}

/** Formats US dollars, with four decimals below one dollar. */
export function money(cost: number): string {
  const digits = cost < 1 ? 4 : 2;
  return new Intl.NumberFormat(languageTag(), {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    maximumFractionDigits: digits,
  }).format(cost);
}
