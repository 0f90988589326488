import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { maintenanceAnswerSchema, modeBody } from "./maintenance.ts";
import { directorySchema, lineSchema, timeSchema } from "./scalars.ts";

const protocol = z.enum([
  "anthropic",
  "openai",
  "google",
  "compatible",
  "azure",
  "bedrock",
  "vertex",
  "copilot",
]);

/** A model provider. Its API key is masked: only a few characters are shown, so that two keys can be told apart. */
export const providerSchema = component("Provider", () =>
  z.object({
    name: z.string(),
    status: z
      .enum(["connected", "disconnected"])
      .describe("disconnected: known, but not to be used"),
    source: z
      .enum(["environment", "file", "config"])
      .nullable()
      .describe("source of its key; null if it has none"),
    protocol,
    baseUrl: z.string(),
    key: z.string().nullable().describe("masked key"),
    defaultModel: z.string().nullable(),
  }),
);
export type Provider = Wire<typeof providerSchema>;

export const providerListSchema = component("ProviderList", () =>
  z.object({
    items: z.array(providerSchema),
    model: z
      .string()
      .nullable()
      .describe("model for runs if neither the prompt nor the directory names one"),
    untrusted: z
      .array(z.string())
      .describe("providers in the directory's config that are not trusted yet"),
  }),
);
export type ProviderList = Wire<typeof providerListSchema>;

const addressSchema = z
  .url({ protocol: /^https?$/, error: "must be an http or https address" })
  .max(2000)
  .optional()
  .describe("only if it differs from the provider's default");

export const connectBody = component("ConnectInput", () =>
  z.strictObject({
    key: lineSchema(4096)
      .nullable()
      .optional()
      .describe(
        "stored in a file that only the owner can read; leave out for servers without keys",
      ),
    baseUrl: addressSchema,
    protocol: protocol
      .optional()
      .describe("only for providers that Holdfast does not know by name"),
    defaultModel: lineSchema(200).optional(),
  }),
);
export type ConnectInput = Wire<typeof connectBody>;

const changes = {
  key: lineSchema(4096)
    .nullable()
    .optional()
    .describe(
      "null: the server needs no key; left out: keep the key, if the address stays on the same server",
    ),
  baseUrl: addressSchema.nullable().describe("null: the provider's default; left out: keep it"),
  protocol: protocol.optional().describe("only for providers that Holdfast does not know by name"),
  defaultModel: lineSchema(200)
    .nullable()
    .optional()
    .describe("null: the provider's default; left out: keep it"),
};

export const changeProviderBody = component("ProviderChange", () => z.strictObject(changes));
export type ProviderChange = Wire<typeof changeProviderBody>;

const offeredProvider = z.strictObject({
  name: lineSchema(100),
  key: lineSchema(4096).nullable(),
  bearer: z.literal(true).optional().describe("the key is a bearer token"),
  baseUrl: z
    .url({ protocol: /^https?$/, error: "must be an http or https address" })
    .max(2000)
    .optional(),
});

export const offerBody = component("OfferInput", () =>
  z.strictObject({
    providers: z
      .array(offeredProvider)
      .max(20)
      .describe("providers from the environment of the client; they replace an earlier offer"),
  }),
);
export type OfferInput = Wire<typeof offerBody>;

export const offeredSchema = component("OfferedProviders", () =>
  z.object({
    providers: z.array(z.string()).describe("names of the providers that the session will use"),
  }),
);

export const providerSignInBody = component("ProviderSignInInput", () =>
  z.strictObject({
    baseUrl: addressSchema,
    clientId: lineSchema(200).optional().describe("OAuth client; default: the server's"),
    defaultModel: lineSchema(200).optional(),
  }),
);
export type ProviderSignInInput = Wire<typeof providerSignInBody>;

/** A code that the user enters on the provider's sign-in page. */
export const providerSignInSchema = component("ProviderSignIn", () =>
  z.object({
    userCode: z.string(),
    url: z.string().describe("page on which to type the code"),
    expiresAt: timeSchema,
  }),
);
export type ProviderSignIn = Wire<typeof providerSignInSchema>;

export const providerSignInStatusSchema = component("ProviderSignInStatus", () =>
  z.object({
    status: z.enum(["waiting", "signedIn", "failed"]),
    problem: z.string().nullable(),
    change: maintenanceAnswerSchema.nullable().describe("effect of a finished sign-in"),
  }),
);
export type ProviderSignInStatus = Wire<typeof providerSignInStatusSchema>;

export const disconnectBody = component("DisconnectInput", () =>
  z
    .strictObject(modeBody)
    .describe("force: cancel runs that use the provider, and stop sending its key"),
);

export const providerQuery = {
  directory: directorySchema.optional().describe("directory whose config is included"),
};

export const testBody = component("TestInput", () =>
  z.strictObject({
    ...providerQuery,
    change: changeProviderBody
      .optional()
      .describe("settings to test before they are stored; the provider may be a new one"),
  }),
);

/** Result of a test: one cheap call to the provider. */
export const providerTestSchema = component("ProviderTest", () =>
  z.object({
    works: z.boolean(),
    problem: z.string().nullable(),
    field: z
      .enum(["name", "key", "baseUrl", "defaultModel"])
      .nullable()
      .describe("the setting that causes the problem, if that is known"),
    models: z.array(z.string()).describe("models that the provider lists"),
  }),
);
export type ProviderTest = Wire<typeof providerTestSchema>;
