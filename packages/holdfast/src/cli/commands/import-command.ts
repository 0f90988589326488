import { readFileSync } from "node:fs";
import { Refused } from "@holdfast/sdk";
import { openClient } from "../../compose/client.ts";
import { CliError, exitCodes, fileReason } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { placeOf, placeWords } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";

/** `holdfast import`: a new session that begins with what another has exported. */
export async function importSession(
  options: ClientOptions & {
    readonly file: string;
    readonly session?: string;
    readonly directory?: string;
    readonly json?: true;
  },
): Promise<ExitCode> {
  const document = readDocument(options.file);
  await using client = await openClient({ ...placeOf(options), create: true }, "change");
  const { session: sessionId, directory } = options;
  const session = await client.holdfast.sessions
    .import(document, { sessionId, directory })
    .catch((error: unknown) => {
      throw explained(error, options.file);
    });
  const detail = await session.get();
  if (options.json === true) console.log(JSON.stringify(detail));
  else {
    console.log(`session ${detail.sessionId} (new)`);
    console.log(`in ${detail.directory}`);
    const place = placeWords(options);
    console.log(`continue with: holdfast run${place} --session ${detail.sessionId} "..."`);
  }
  return exitCodes.ok;
}

function readDocument(file: string): Buffer<ArrayBuffer> {
  try {
    return Buffer.from(readFileSync(file === "-" ? 0 : file));
  } catch (error) {
    const problem = `${file} can't be read: ${fileReason(error)}`;
    throw new CliError("file", `${problem}; name a file that holdfast export has written`, 2);
  }
}

/** Adds the file name and the option to a refusal, because the server knows neither. */
function explained(error: unknown, file: string): unknown {
  if (!(error instanceof Refused) || error.code !== "invalid") return error;
  const { code, message, details } = error;
  if (details.field === "directory") {
    return new CliError(code, `${message}; name the folder where it goes on with --directory`);
  }
  if (details.field !== "document") return error;
  const advice = "name a file that holdfast export has written";
  return new CliError(code, `${file} can't be imported: ${message}; ${advice}`);
}
