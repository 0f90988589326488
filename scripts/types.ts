import { checkTypes } from "./types/check-types.ts";

process.exitCode = await checkTypes();
