import { openClient } from "../../compose/client.ts";
import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { CliError, exitCodes, fileReason } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { chooseSession, expectSession, placeOf, placeWords } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { Refused } from "@holdfast/sdk";
import type { SessionHandle } from "@holdfast/sdk";
import { findIn, shortId } from "../ids.ts";

/** `holdfast export`: writes a session to one JSON file with all content that it refers to, or to an HTML report. */
export async function exportSession(
  options: ClientOptions & {
    readonly session?: string;
    readonly output?: string;
    readonly html?: true;
    readonly run?: string;
  },
): Promise<ExitCode> {
  const { store, output, html = false, run } = options;
  if (run !== undefined && !html) {
    throw new CliError("usage", "--run works only with --html; add --html or leave out --run", 2);
  }
  await using client = await openClient(placeOf(options), "look");
  const { holdfast, url } = client;
  const session = await chooseSession(holdfast, options.session);
  await expectSession(session, { url, store });
  const runId = run === undefined ? undefined : await findRun(session, run);
  const pieces = html ? reportOf(session, runId) : session.export();
  if (output === undefined) {
    for await (const piece of pieces) await print(piece);
    return exitCodes.ok;
  }
  await writeNew(output, pieces);
  console.error(`wrote ${output}`);
  return exitCodes.ok;
}

async function findRun(session: SessionHandle, text: string): Promise<string> {
  const ids: string[] = [];
  for await (const { runId } of session.eachRun({ limit: 500 })) ids.push(runId);
  const found = findIn(ids, { text, kind: "run" });
  if (ids.includes(found)) return found;
  const advice = "`holdfast prompts --json` prints the run of each prompt";
  throw new CliError("unknownRun", `there is no run ${text} in this session; ${advice}`);
}

async function* reportOf(
  session: SessionHandle,
  runId: string | undefined,
): AsyncGenerator<string> {
  const { loadReport } = await import("@holdfast/model/report.ts");
  yield await loadReport(session, { runId });
}

/** Writes a new file. If writing fails, the incomplete file is removed. */
async function writeNew(output: string, pieces: AsyncIterable<string>): Promise<void> {
  // Only the owner can read the file, because a conversation may contain secrets.
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
    const reason = isAstray ? "its folder does not exist" : fileReason(error);
    throw new CliError("file", `${output} cannot be written: ${reason}; name a new file`);
  }
}

function print(piece: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(piece, () => resolve());
  });
}

/** `holdfast import`: creates a session from an exported file. */
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
    console.log(`session ${shortId(detail.sessionId)} (new)`);
    console.log(`in ${detail.directory}`);
    const place = placeWords(options);
    console.log(`continue with: holdfast run${place} --session ${shortId(detail.sessionId)} "..."`);
  }
  return exitCodes.ok;
}

function readDocument(file: string): Buffer<ArrayBuffer> {
  try {
    return Buffer.from(readFileSync(file === "-" ? 0 : file));
  } catch (error) {
    const problem = `${file} cannot be read: ${fileReason(error)}`;
    throw new CliError("file", `${problem}; name a file written by holdfast export`, 2);
  }
}

/** Adds the file name or the option `--directory` to the server's error message, because the server knows neither. */
function explained(error: unknown, file: string): unknown {
  if (!(error instanceof Refused) || error.code !== "invalid") return error;
  const { code, message, details } = error;
  if (details.field === "directory") {
    return new CliError(code, `${message}; name the folder of the new session with --directory`);
  }
  if (details.field !== "document") return error;
  const advice = "name a file written by holdfast export";
  return new CliError(code, `${file} cannot be imported: ${message}; ${advice}`);
}
