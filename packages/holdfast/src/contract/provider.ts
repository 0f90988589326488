import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { modeBody } from "./maintenance.ts";
import { directorySchema, lineSchema } from "./scalars.ts";

const protocol = z.enum(["anthropic", "openai", "google", "compatible"]);

/** Whom models are asked of. Its key is never told, only enough of it to tell two apart. */
export const providerSchema = component(
  "Provider",
  z.object({
    name: z.string(),
    status: z
      .enum(["connected", "disconnected"])
      .describe("disconnected: known, and not to be used"),
    source: z
      .enum(["environment", "file", "config"])
      .nullable()
      .describe("where its key comes from; null when it has none"),
    protocol,
    baseUrl: z.string(),
    key: z.string().nullable().describe("masked"),
    defaultModel: z.string().nullable(),
  }),
);
export type Provider = Wire<typeof providerSchema>;

export const providerListSchema = component(
  "ProviderList",
  z.object({
    items: z.array(providerSchema),
    model: z
      .string()
      .nullable()
      .describe("what runs use when neither they nor their directory name one"),
    untrusted: z
      .array(z.string())
      .describe("those that the directory's config says something of, which nobody has trusted"),
  }),
);
export type ProviderList = Wire<typeof providerListSchema>;

export const connectBody = component(
  "ConnectInput",
  z.strictObject({
    key: lineSchema(4096)
      .nullable()
      .optional()
      .describe("kept in a file that only the owner can read; none for servers that want none"),
    baseUrl: z
      .url({ protocol: /^https?$/, error: "must be an http or https address" })
      .max(2000)
      .optional()
      .describe("only for servers that are not where the provider usually is"),
    protocol: protocol.optional().describe("only for providers that are not known by name"),
    defaultModel: lineSchema(200).optional(),
  }),
);
export type ConnectInput = Wire<typeof connectBody>;

export const disconnectBody = component(
  "DisconnectInput",
  z
    .strictObject(modeBody)
    .describe("force: runs that use it are cancelled, and no request carries the key any more"),
);

export const providerQuery = {
  directory: directorySchema.optional().describe("whose config counts too"),
};

export const testBody = component("TestInput", z.strictObject(providerQuery));

/** What one cheap call has shown. */
export const providerTestSchema = component(
  "ProviderTest",
  z.object({
    works: z.boolean(),
    problem: z.string().nullable(),
    models: z.array(z.string()).describe("as far as it lists them"),
  }),
);
export type ProviderTest = Wire<typeof providerTestSchema>;
