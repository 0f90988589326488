import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { directorySchema, wholeSchema } from "./scalars.ts";
import { noticeSchema } from "./workspace.ts";

const scope = z
  .enum(["project", "user"])
  .describe(
    "project: holdfast.jsonc of the directory; user: config.jsonc of the user who runs the server",
  );

/** A config file as stored on the server's disk. Its secrets are references, which are not resolved here. */
export const configFileSchema = component("ConfigFile", () =>
  z.object({
    scope,
    file: z.string(),
    text: z.string().nullable().describe("null: the file does not exist"),
    digest: z.string().nullable().describe("digest of the text; send it with a change"),
    notices: z.array(noticeSchema).describe("problems in the directory's whole config"),
    powers: z
      .object({
        digest: z
          .string()
          .nullable()
          .describe("digest to trust the privileged settings with; null if there are none"),
        trusted: z.boolean(),
        items: z.array(
          z.object({
            key: z.string().describe("config key, such as `mcp.files`"),
            file: z.string(),
            line: wholeSchema,
            summary: z.string().describe("effect of this key"),
          }),
        ),
      })
      .nullable()
      .describe(
        "settings of the project that could run commands or send keys elsewhere; they have no effect until trusted; null for the user's config",
      ),
  }),
);
export type ConfigFile = Wire<typeof configFileSchema>;

const place = {
  scope: scope.optional(),
  directory: directorySchema.optional(),
};

export const configQuery = {
  scope: place.scope.describe("default: project"),
  directory: place.directory.describe("the project; not needed for the user's config"),
};

export const configBody = component("ConfigInput", () =>
  z.strictObject({
    ...place,
    text: z
      .string()
      .max(1024 * 1024)
      .describe("the whole file; checked before it is written"),
    digest: z
      .string()
      .max(200)
      .nullable()
      .describe(
        "digest of the text that was read; the request is refused if the file has changed since; null: a new file",
      ),
  }),
);
export type ConfigInput = Wire<typeof configBody>;

export const trustBody = component("TrustInput", () =>
  z.strictObject({
    directory: directorySchema,
    digest: z
      .string()
      .max(200)
      .nullable()
      .describe(
        "digest of the privileged settings that were read; the request is refused if they have changed since; null: trust nothing",
      ),
  }),
);
