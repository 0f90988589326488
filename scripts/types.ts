import { showHelp } from "./read-arguments.ts";
import { checkTypes } from "./types/check-types.ts";

showHelp(`npm run types

Checks the types of all packages, tests and scripts.`);

process.exitCode = await checkTypes();
