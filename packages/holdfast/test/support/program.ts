import { join } from "node:path";

/** The command from the sources. */
export const sourceProgram = join(import.meta.dirname, "../../bin/holdfast.js");

/**
 * The command that tests start: the published form if the test run has built it, because it starts in half the time;
 * otherwise the sources.
 */
export const program = process.env["HOLDFAST_TEST_PROGRAM"] ?? sourceProgram;
