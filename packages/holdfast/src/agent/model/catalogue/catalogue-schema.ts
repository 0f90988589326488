import { z } from "zod";
import type { CatalogueFile } from "./catalogue.ts";

const count = z.int().min(1).max(1_000_000_000);
const day = z.string().regex(/^\d{4}-\d\d-\d\d$/, { error: "must be a date such as 2026-11-02" });
const money = z.number().min(0).max(1_000_000);

const price = {
  input: money,
  output: money,
  cachedInput: money.exactOptional(),
  cacheWrite: money.exactOptional(),
};

const model = z.object({
  name: z.string().max(300),
  from: z.string().max(300),
  family: z.string().max(300),
  context: count,
  output: count,
  images: z
    .object({
      perRequest: count.exactOptional(),
      width: count.exactOptional(),
      height: count.exactOptional(),
      bytes: count.exactOptional(),
    })
    .exactOptional(),
  reasoning: z
    .array(z.enum(["off", "minimal", "low", "medium", "high", "xhigh", "max"]))
    .exactOptional(),
  adaptive: z.literal(true).exactOptional(),
  prices: z
    .record(
      z.string(),
      z.object({ ...price, tiers: z.array(z.object({ ...price, above: count })).exactOptional() }),
    )
    .exactOptional(),
  endOfLife: day.exactOptional(),
});

const schema = z.object({
  format: z.literal(1),
  source: z.string().max(300),
  generated: day,
  models: z.record(z.string().max(300), model),
});

/** Parses the content of a catalogue file. Returns the first problem as a string if it is invalid. */
export function parseCatalogue(content: unknown): CatalogueFile | string {
  const { success, data, error } = schema.safeParse(content);
  if (success) return data;
  const [issue] = error.issues;
  const place = issue?.path.join(".") ?? "";
  return `${place === "" ? "the file" : place}: ${issue?.message ?? "wrong content"}`;
}
