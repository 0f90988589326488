import { generateFile } from "./generated-file.ts";
import { references } from "./reference/references.ts";

for (const { path, content, source } of references()) generateFile({ path, content, source });
