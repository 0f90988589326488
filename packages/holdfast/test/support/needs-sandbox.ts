import { findSandbox } from "../../src/agent/tools/sandbox/find-sandbox.ts";

/** Options of a test that needs a sandbox: skips the test, with the reason, on a machine without one. */
export const needsSandbox: { readonly skip: string | false } = {
  skip:
    (await findSandbox()) === null &&
    "this machine has no sandbox that works (install bubblewrap to run this test)",
};
