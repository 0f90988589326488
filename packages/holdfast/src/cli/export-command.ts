import { closeSync, openSync, writeSync } from "node:fs";
import { exportPieces, openReader } from "../main.ts";
import { CliError, exitCodes, fileReason } from "./cli-error.ts";
import type { ExitCode } from "./cli-error.ts";
import { expectSession } from "./expect-session.ts";

/** `holdfast export`: a session as one JSON file, with every body that it refers to. */
export async function exportSession(options: {
  store: string;
  session: string;
  output?: string;
}): Promise<ExitCode> {
  const { store, session, output } = options;
  const reader = await openReader(store);
  try {
    await expectSession(reader, { sessionId: session, store });
    if (output === undefined) {
      for await (const piece of exportPieces(reader, session)) await print(piece);
      return exitCodes.ok;
    }
    const file = openNew(output);
    try {
      for await (const piece of exportPieces(reader, session)) writeSync(file, piece);
    } finally {
      closeSync(file);
    }
    console.error(`wrote ${output}`);
    return exitCodes.ok;
  } finally {
    await reader.close();
  }
}

function openNew(file: string): number {
  try {
    // Only for its owner: a conversation may hold anything.
    return openSync(file, "wx", 0o600);
  } catch (error) {
    throw new CliError("file", `${file} can't be written: ${fileReason(error)}; name a new file`);
  }
}

function print(piece: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(piece, () => resolve());
  });
}
