import { z } from "zod";
import { fileSchema } from "./file-schema.ts";

/** Returns the JSON schema of config files, which editors use. It is stored as config.schema.json. */
export function configJsonSchema(): object {
  const schema = z.toJSONSchema(fileSchema, { target: "draft-7", io: "input" });
  return {
    ...schema,
    title: "Holdfast config",
    description: "holdfast.jsonc of a project, or config.jsonc of a user",
    // Tell editors that comments and trailing commas are allowed.
    allowTrailingCommas: true,
    allowComments: true,
  };
}
