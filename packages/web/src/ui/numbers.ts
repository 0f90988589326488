import { languageTag } from "./time.tsx";

/** A count as short as it can be said: 950, 1.2K, 3.4M. */
export function amount(count: number): string {
  const options = { notation: "compact", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(languageTag(), options).format(count);
}

/** US dollars, with as many digits as say something. */
export function money(cost: number): string {
  const digits = cost < 1 ? 4 : 2;
  const options = { style: "currency", currency: "USD", maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat(languageTag(), options).format(cost);
}
