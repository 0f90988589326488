import { HoldfastError } from "@holdfast/sdk";
import { AgentFailure } from "../agent/agent.ts";
import { programVersion } from "../base/package.ts";
import { SetupError } from "../server/setup-error.ts";
import { StoreError } from "../store/store-error.ts";
import { WorkspaceError } from "../workspace/loader.ts";
import { CliError, exitCodes } from "./cli-error.ts";
import type { ExitCode } from "./cli-error.ts";
import { printable } from "./terminal/printable.ts";

/** Returns the problem and the advice in one line, and the exit code. */
export function describeError(error: unknown): { line: string; exitCode: ExitCode } {
  // Closing failed after an error, probably for the same reason. Report the first error.
  if (error instanceof SuppressedError) return describeError(error.suppressed);
  if (error instanceof CliError) return describe(error.code, error.message, error.exitCode);
  if (error instanceof WorkspaceError) return describe(error.code, broken(error.message));
  if (error instanceof StoreError && error.code === "storeOwned") return inUse;
  if (error instanceof StoreError || error instanceof SetupError) {
    return describe(error.code, error.message);
  }
  if (error instanceof HoldfastError) {
    const { code, message, retryable } = error;
    if (retryable) return describe(code, message, exitCodes.unreachable);
    if (code === "unknownRoute") {
      const advice = `this command has version ${programVersion()}; \`holdfast server status\` shows the server's`;
      return describe(code, `the server does not support this; ${advice}`);
    }
    if (code === "brokenWorkspace") return describe(code, broken(message));
    if (code === "unauthorized") {
      const isOwner = (process.env["HOLDFAST_TOKEN"] ?? "") === "";
      return describe(code, isOwner ? noOwnerToken : noToken);
    }
    const list = lists.get(code);
    const advice = list === undefined ? "" : `; \`holdfast ${list}\` lists all`;
    const exitCode = code === "invalid" ? exitCodes.usage : exitCodes.failure;
    return describe(code, message + advice, exitCode);
  }
  if (error instanceof AgentFailure) {
    return describe(
      error.reason,
      `${error.message} \`holdfast models\` lists the available models.`,
    );
  }
  const message = error instanceof Error ? error.message : String(error);
  return describe("internal", `${message} (a bug; set HOLDFAST_DEBUG=1 for the stack trace)`);
}

const inUse = describe(
  "databaseInUse",
  "another Holdfast process is using the database: a command with --embedded, or a server with another " +
    "data folder; wait until it has ended, or stop it",
);

/** For each error code, the command that lists the valid names. */
const lists: ReadonlyMap<string, string> = new Map([
  ["unknownSession", "sessions"],
  ["unknownPrompt", "prompts"],
  ["unknownAction", "server maintenance"],
  ["unknownProvider", "providers"],
]);

const noToken =
  "the server does not accept this token; set HOLDFAST_TOKEN to a token that `holdfast server token create` " +
  "printed on the server";

const noOwnerToken =
  "the server no longer accepts the token in its data folder: it was revoked, or the file was " +
  "changed; restart the server, which writes a new token, or set HOLDFAST_TOKEN";

/** Formats each problem of a config as one line, as compilers do. */
function broken(message: string): string {
  const places = printable(message).split("\n");
  return places.length === 1 ? message : ["the config has errors", ...places].join("\n  ");
}

function describe(
  code: string,
  message: string,
  exitCode: ExitCode = exitCodes.failure,
): { line: string; exitCode: ExitCode } {
  return { line: `holdfast: ${code}: ${message.replaceAll(/\n(?! {2})/g, " ")}`, exitCode };
}
