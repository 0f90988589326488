import { join } from "node:path";

/** The command from the sources. */
export const sourceProgram = join(import.meta.dirname, "../../bin/holdfast.js");

/**
 * The command that tests start: as it is published where the test run has built it, which starts in
 * half the time, and from the sources otherwise.
 */
export const program = process.env["HOLDFAST_TEST_PROGRAM"] ?? sourceProgram;
