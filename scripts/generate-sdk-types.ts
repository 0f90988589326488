import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sdkTypes } from "./sdk-types/sdk-types.ts";

// Writes the SDK's types from the contract; with --check only says whether they are as they should be.

const file = join(import.meta.dirname, "../packages/sdk/src/types.gen.ts");
const wanted = sdkTypes();
if (!process.argv.includes("--check")) {
  writeFileSync(file, wanted);
} else if (readOrEmpty(file) !== wanted) {
  console.error("packages/sdk/src/types.gen.ts does not match packages/holdfast/src/contract");
  process.exitCode = 1;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
