import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { directorySchema, timeSchema } from "./scalars.ts";

/** Each role includes the permissions of the roles before it. */
export const roleSchema = component("Role", () =>
  z.enum(["observe", "propose", "prompt", "admin"]),
);
export type Role = Wire<typeof roleSchema>;

export const tokenSchema = component("Token", () =>
  z.object({
    tokenId: z.string(),
    kind: z
      .enum(["token", "browser"])
      .describe("browser: a signed-in browser, which ends with the token that it was made from"),
    name: z.string().describe("actor name for requests with this token"),
    role: roleSchema,
    directories: z.array(z.string()).nullable().describe("null: all directories"),
    createdAt: timeSchema,
    createdBy: z.string().nullable().describe("name of the token that created it"),
    parentId: z.string().nullable().describe("for a browser: the token that it was made from"),
    expiresAt: timeSchema.nullable(),
    revokedAt: timeSchema.nullable(),
    lastUsedAt: timeSchema.nullable().describe("accurate to a minute if there are several nodes"),
  }),
);
export type Token = Wire<typeof tokenSchema>;

export const tokenListSchema = component("TokenList", () =>
  z.object({ items: z.array(tokenSchema) }),
);

export const newTokenSchema = component("NewToken", () =>
  z.object({
    ...tokenSchema.unwrap().shape,
    secret: z.string().describe("the secret that requests carry; shown only once"),
  }),
);
export type NewToken = Wire<typeof newTokenSchema>;

export const tokenBody = component("TokenInput", () =>
  z.strictObject({
    name: z.string().regex(/^[A-Za-z0-9._@+-]{1,64}$/, {
      error: "must be 1 to 64 characters out of letters, digits and . _ @ + -",
    }),
    role: roleSchema,
    directories: z
      .array(directorySchema)
      .min(1)
      .max(100)
      .nullable()
      .optional()
      .describe("limits the token to sessions in and below these directories; default: all"),
    expiresAt: timeSchema.nullable().optional().describe("when the token expires"),
  }),
);

export const meSchema = component("Me", () =>
  z.object({
    tokenId: z.string().nullable(),
    name: z.string(),
    role: roleSchema,
    directories: z.array(z.string()).nullable(),
  }),
);
export type Me = Wire<typeof meSchema>;

export const linkSchema = component("Link", () =>
  z.object({
    url: z.string().describe("opens the web page once and signs the browser in"),
    expiresAt: timeSchema,
  }),
);
export type Link = Wire<typeof linkSchema>;

export const signInBody = component("SignInInput", () =>
  z.strictObject({ code: z.string().max(200).describe("the part of a link after #") }),
);

export const signedInSchema = component("SignedIn", () =>
  z.object({
    key: z.string().describe("sent by the page as x-holdfast-key; needed together with the cookie"),
  }),
);
