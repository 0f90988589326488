import { findSandbox } from "../../src/agent/tools/sandbox/find-sandbox.ts";

const hasSandbox = (await findSandbox()) !== null;

/** Options of a test that needs a sandbox: skips the test, with the reason, on a machine without one. */
export const needsSandbox: { readonly skip: string | false } = {
  skip:
    !hasSandbox && "this machine has no sandbox that works (install bubblewrap to run this test)",
};

/** The line that every ask for a command has on a machine without a sandbox; empty on others. */
export const askWarning = hasSandbox
  ? ""
  : "\nThis machine has no sandbox: the command can read, change and send everything that your user account can.";
