import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { directorySchema, timeSchema } from "./scalars.ts";

/** Each may do what those before it may. */
export const roleSchema = component("Role", z.enum(["observe", "propose", "prompt", "admin"]));
export type Role = Wire<typeof roleSchema>;

export const tokenSchema = component(
  "Token",
  z.object({
    tokenId: z.string(),
    kind: z
      .enum(["token", "browser"])
      .describe("browser: a signed-in browser, which ends with the token that it was made from"),
    name: z.string().describe("the actor of what is done with it"),
    role: roleSchema,
    directories: z.array(z.string()).nullable().describe("null: all directories"),
    createdAt: timeSchema,
    createdBy: z.string().nullable().describe("name of the token that made it"),
    parentId: z.string().nullable().describe("of a browser: the token that it was made from"),
    expiresAt: timeSchema.nullable(),
    revokedAt: timeSchema.nullable(),
    lastUsedAt: timeSchema.nullable().describe("exact to a minute if several nodes serve"),
  }),
);
export type Token = Wire<typeof tokenSchema>;

export const tokenListSchema = component("TokenList", z.object({ items: z.array(tokenSchema) }));

export const newTokenSchema = component(
  "NewToken",
  z.object({
    ...tokenSchema.shape,
    secret: z.string().describe("what requests carry; it is shown this once"),
  }),
);
export type NewToken = Wire<typeof newTokenSchema>;

export const tokenBody = component(
  "TokenInput",
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
      .describe("it sees only sessions in and below these; all if left out"),
    expiresAt: timeSchema.nullable().optional().describe("it is refused from then on"),
  }),
);

export const meSchema = component(
  "Me",
  z.object({
    tokenId: z.string().nullable(),
    name: z.string(),
    role: roleSchema,
    directories: z.array(z.string()).nullable(),
  }),
);
export type Me = Wire<typeof meSchema>;

export const linkSchema = component(
  "Link",
  z.object({
    url: z.string().describe("opens the web page, once, and signs the browser in"),
    expiresAt: timeSchema,
  }),
);
export type Link = Wire<typeof linkSchema>;

export const signInBody = component(
  "SignInInput",
  z.strictObject({ code: z.string().max(200).describe("the part of a link after #") }),
);

export const signedInSchema = component(
  "SignedIn",
  z.object({
    key: z.string().describe("sent by the page as x-holdfast-key; the cookie alone opens nothing"),
  }),
);
