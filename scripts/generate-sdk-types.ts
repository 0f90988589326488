import { generateFile } from "./generated-file.ts";
import { sdkTypes } from "./sdk-types/sdk-types.ts";

generateFile({
  path: "packages/sdk/src/types.gen.ts",
  content: sdkTypes(),
  source: "packages/holdfast/src/contract",
});
