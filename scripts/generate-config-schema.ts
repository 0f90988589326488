import { configJsonSchema } from "../packages/holdfast/src/workspace/config/json-schema.ts";
import { generateFile } from "./generated-file.ts";

generateFile({
  path: "packages/holdfast/config.schema.json",
  content: `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
  source: "packages/holdfast/src/workspace/config/file-schema.ts",
});
