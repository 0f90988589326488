import { numberText } from "./formats.ts";

/** Formats a count in short form: 950, 1.2K, 3.4M. */
export function amount(count: number): string {
  return numberText(count, { notation: "compact", maximumFractionDigits: 1 });
}

/** Formats a count with all digits, in groups: 12,345. */
export function whole(count: number): string {
  return numberText(count);
}

/** Formats US dollars, with four decimals below one dollar. */
export function money(cost: number): string {
  return numberText(cost, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    maximumFractionDigits: cost < 1 ? 4 : 2,
  });
}
