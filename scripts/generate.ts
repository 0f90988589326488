import { showHelp } from "./read-arguments.ts";

showHelp(`npm run generate

Writes the generated files: SDK types, config schema, docs/reference.`);

await import("./generate-sdk-types.ts");
await import("./generate-config-schema.ts");
await import("./generate-reference.ts");
