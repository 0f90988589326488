import { z } from "zod";
import { fileSchema } from "./file-schema.ts";

/** The schema of config files for editors, as config.schema.json has it. */
export function configJsonSchema(): object {
  const schema = z.toJSONSchema(fileSchema, { target: "draft-7", io: "input" });
  return {
    ...schema,
    title: "Holdfast config",
    description: "holdfast.jsonc of a project, or config.jsonc of a user",
    // Editors would underline comments and commas that are fine here.
    allowTrailingCommas: true,
    allowComments: true,
  };
}
