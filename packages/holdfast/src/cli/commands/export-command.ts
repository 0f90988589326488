import { openClient } from "../../compose/client.ts";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { CliError, exitCodes, fileReason } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { expectSession, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";

/** `holdfast export`: a session as one JSON file, with every body that it refers to. */
export async function exportSession(
  options: ClientOptions & { readonly session: string; readonly output?: string },
): Promise<ExitCode> {
  const { store, output } = options;
  await using client = await openClient(placeOf(options), "look");
  const { holdfast, url } = client;
  const session = holdfast.session(options.session);
  await expectSession(session, { url, store });
  if (output === undefined) {
    for await (const piece of session.export()) await print(piece);
    return exitCodes.ok;
  }
  await writeNew(output, session.export());
  console.error(`wrote ${output}`);
  return exitCodes.ok;
}

/** Half a document is none: it does not stay. */
async function writeNew(output: string, pieces: AsyncIterable<string>): Promise<void> {
  // Only for its owner: a conversation may hold anything.
  const file = writeTo(output, () => openSync(output, "wx", 0o600));
  try {
    for await (const piece of pieces) writeTo(output, () => writeSync(file, piece));
  } catch (error) {
    rmSync(output, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function writeTo<Result>(output: string, write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    const isAstray = error instanceof Error && "code" in error && error.code === "ENOENT";
    const reason = isAstray ? "its folder is not there" : fileReason(error);
    throw new CliError("file", `${output} can't be written: ${reason}; name a new file`);
  }
}

function print(piece: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(piece, () => resolve());
  });
}
