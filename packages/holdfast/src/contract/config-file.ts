import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { directorySchema, wholeSchema } from "./scalars.ts";
import { noticeSchema } from "./workspace.ts";

const scope = z
  .enum(["project", "user"])
  .describe(
    "project: holdfast.jsonc of the directory; user: config.jsonc of the person who runs the server",
  );

/** A config's file as it is on the server's disk. Secrets in it are references, and stay that. */
export const configFileSchema = component(
  "ConfigFile",
  z.object({
    scope,
    file: z.string(),
    text: z.string().nullable().describe("null: there is no such file"),
    digest: z.string().nullable().describe("of the text: what a change is based on"),
    notices: z.array(noticeSchema).describe("of the directory's whole config"),
    powers: z
      .object({
        digest: z.string().nullable().describe("what to trust them by; null when there are none"),
        trusted: z.boolean(),
        items: z.array(
          z.object({
            key: z.string().describe("such as `mcp.files`"),
            file: z.string(),
            line: wholeSchema,
            summary: z.string().describe("what it would do"),
          }),
        ),
      })
      .nullable()
      .describe(
        "what in the project's files could run commands or send keys elsewhere: it counts only when it is trusted; null for the user's own",
      ),
  }),
);
export type ConfigFile = Wire<typeof configFileSchema>;

const place = {
  scope: scope.optional(),
  directory: directorySchema.optional(),
};

export const configQuery = {
  scope: place.scope.describe("project if left out"),
  directory: place.directory.describe("the project; not needed for the user's config"),
};

export const configBody = component(
  "ConfigInput",
  z.strictObject({
    ...place,
    text: z
      .string()
      .max(1024 * 1024)
      .describe("the whole file; it is checked before it is written"),
    digest: z
      .string()
      .max(200)
      .nullable()
      .describe(
        "of the text that was read; refused when the file is another by now. null: a new file",
      ),
  }),
);
export type ConfigInput = Wire<typeof configBody>;

export const trustBody = component(
  "TrustInput",
  z.strictObject({
    directory: directorySchema,
    digest: z
      .string()
      .max(200)
      .nullable()
      .describe(
        "of the powers that were looked at; refused when they are others by now. null: trust nothing",
      ),
  }),
);
