import { createHash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { logOf, openReader, version } from "../main.ts";
import type { LaneEvent, StoreReader } from "../main.ts";
import { CliError, exitCodes, fileReason } from "./cli-error.ts";
import type { ExitCode } from "./cli-error.ts";
import { expectSession } from "./expect-session.ts";
import { ledgerOf } from "./prompts-command.ts";

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
      for await (const piece of pieces(reader, session)) await print(piece);
      return exitCodes.ok;
    }
    const file = openNew(output);
    try {
      for await (const piece of pieces(reader, session)) writeSync(file, piece);
    } finally {
      closeSync(file);
    }
    console.error(`wrote ${output}`);
    return exitCodes.ok;
  } finally {
    await reader.close();
  }
}

/** Piece by piece: a long session does not fit into memory twice. */
async function* pieces(reader: StoreReader, sessionId: string): AsyncGenerator<string> {
  // The log first: what is added meanwhile is in neither, and rows that ran ahead name their time.
  const state = await reader.lane(sessionId);
  const end = state?.seq ?? 0;
  const head = { format: "holdfast-session", version: 1, program: version(), sessionId, state };
  yield `${JSON.stringify(head).slice(0, -1)},\n"events":[\n`;
  const bodies = new Set<string>();
  let separator = "";
  for await (const event of logOf(reader, sessionId)) {
    if (event.seq > end) break;
    for (const hash of bodiesOf(event)) bodies.add(hash);
    yield `${separator}${JSON.stringify(event)}`;
    separator = ",\n";
  }
  yield `],\n"prompts":[\n`;
  separator = "";
  for await (const row of ledgerOf(reader, sessionId)) {
    if (row.acceptSeq > end) break;
    yield `${separator}${JSON.stringify(row)}`;
    separator = ",\n";
  }
  yield `],\n"bodies":{\n`;
  separator = "";
  for (const hash of bodies) {
    const content = await reader.body(hash);
    if (content === null) continue;
    yield `${separator}${JSON.stringify(hash)}:${JSON.stringify(encode(content))}`;
    separator = ",\n";
    for (const named of namedIn(content)) {
      // A set that grows while it is walked is walked to its new end.
      bodies.add(named);
    }
  }
  yield "}}\n";
}

/** Every hash that an event names, at any depth. */
function bodiesOf(event: LaneEvent): string[] {
  const found: string[] = [];
  const look = (value: unknown, key: string): void => {
    if (typeof value === "string" && (key === "body" || key === "result")) found.push(value);
    else if (typeof value === "object" && value !== null) {
      for (const [name, part] of Object.entries(value)) look(part, name);
    }
  };
  look(event, "");
  return found;
}

/** What a call was about to do names the old contents of files, which are bodies as well. */
function namedIn(content: Uint8Array): string[] {
  const text = Buffer.from(content).toString("utf8");
  if (!text.startsWith('{"summary":')) return [];
  const intent: { files?: readonly { before: string | null }[] } = JSON.parse(text);
  return (intent.files ?? []).flatMap(({ before }) => before ?? []);
}

/** As text where it is text, so that people can read it; else in base64. */
function encode(content: Uint8Array): { text: string } | { base64: string } {
  const bytes = Buffer.from(content);
  const text = bytes.toString("utf8");
  const isText = hash(Buffer.from(text)) === hash(bytes);
  return isText ? { text } : { base64: bytes.toString("base64") };
}

function hash(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
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
