import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { directorySchema, lineSchema, queryFlag, queryNumber, wholeSchema } from "./scalars.ts";

const dollars = z.number().describe("dollars per million tokens");

/** A model that a prompt can select, with its properties. */
export const listedModelSchema = component("ListedModel", () =>
  z.object({
    id: z.string().describe("`provider/model`, as prompts name it"),
    provider: z.string(),
    name: z.string().nullable().describe("name for people; null if unknown"),
    isConnected: z.boolean().describe("false: connect its provider first"),
    context: wholeSchema.describe("tokens of the context window"),
    output: wholeSchema.describe("maximum tokens of an answer"),
    images: z.boolean(),
    tools: z.boolean().describe("false: the model cannot call tools"),
    reasoning: z
      .array(z.enum(["off", "minimal", "low", "medium", "high", "xhigh", "max"]))
      .describe("levels of reasoning that can be requested, weakest first"),
    price: z
      .object({ input: dollars, output: dollars, cachedInput: dollars, cacheWrite: dollars })
      .nullable()
      .describe("null: unknown, so the cost is not counted"),
    endOfLife: z.string().nullable().describe("day on which its maker shuts the model down"),
    warning: z.string().nullable().describe("set if that day is near or has come"),
    source: z
      .enum(["catalogue", "server", "config", "guess"])
      .describe(
        "source of the limits; guess: neither the catalogue nor the server knows the model",
      ),
  }),
);
export type ListedModel = Wire<typeof listedModelSchema>;

export const modelListSchema = component("ModelList", () =>
  z.object({
    items: z.array(listedModelSchema),
    total: wholeSchema.describe("number of models that match, before the limit"),
    model: z.string().nullable().describe("default model for runs"),
    problems: z
      .array(z.object({ provider: z.string(), message: z.string() }))
      .describe("providers that did not list their models"),
    catalogue: z
      .object({ source: z.string(), generated: z.string() })
      .describe("origin and date of the model catalogue"),
  }),
);
export type ModelList = Wire<typeof modelListSchema>;

const maxModels = 2_000;

export const modelQuery = {
  directory: directorySchema.optional().describe("directory whose config is included"),
  search: lineSchema(200).optional().describe("words that the name must contain"),
  provider: lineSchema(100).optional().describe("only models of this provider"),
  all: queryFlag
    .optional()
    .describe(
      "true: also models of providers that are not connected, and models that have been shut down",
    ),
  limit: queryNumber(1, maxModels).optional().describe("how many at most; 500 if left out"),
};
