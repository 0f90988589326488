import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { AttachmentContent } from "@holdfast/sdk";
import { describeBinary } from "../../agent/tools/binary.ts";
import { CliError, exitCodes, fileReason } from "../cli-error.ts";

/** Maximum bytes of one text file and of the whole text. A model could not read more at once. */
const maxFile = 256 * 1024;
const maxText = 1024 * 1024;
/** Maximum bytes of an attachment, the same as on the server. */
const maxAttachment = 20 * 1024 * 1024;

/** Text and attachments of a prompt. */
export interface PromptWords {
  readonly text: string;
  readonly attachments: readonly AttachmentContent[];
}

/**
 * Builds a prompt from the command line or stdin, and files: text files become part of the text,
 * others are attached.
 */
export async function promptContent(options: {
  text: string | undefined;
  files: readonly string[];
}): Promise<PromptWords> {
  const words = await wordsOf(options);
  const files = options.files.map(readFile);
  const texts = files.flatMap((file) => (typeof file === "string" ? [file] : []));
  const text = [words.trimEnd(), ...texts].filter((part) => part !== "").join("\n\n");
  if (Buffer.byteLength(text) > maxText) {
    throw usage(
      "tooLarge",
      `the prompt and its files are larger than ${size(maxText)}; send less at once`,
    );
  }
  return { text, attachments: files.filter((file) => typeof file !== "string") };
}

/** The text of the prompt. May be empty only if there are files. */
async function wordsOf(options: {
  text: string | undefined;
  files: readonly string[];
}): Promise<string> {
  const { text, files } = options;
  const hasFiles = files.length > 0;
  if (text === undefined && process.stdin.isTTY) {
    if (hasFiles) return "";
    const advice = 'write it as holdfast run "...", or pipe it to stdin';
    throw usage("prompt", `there is no prompt; ${advice}`);
  }
  const words = text === undefined || text === "-" ? await readStdin() : text;
  if (words.trim() !== "") return words;
  if (hasFiles) return "";
  throw usage("prompt", "the prompt is empty; write a task for the agent");
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    length += bytes.length;
    if (length > maxText) {
      throw usage("tooLarge", `the input is larger than ${size(maxText)}; send less at once`);
    }
  }
  return decode(Buffer.concat(chunks), "the input");
}

/** Reads a file as marked text or as an attachment. The path stays as the user wrote it. */
function readFile(path: string): string | AttachmentContent {
  const bytes = readLimited(path);
  const { mediaType = null } = describeBinary(bytes) ?? {};
  if (mediaType !== null)
    return { content: new Uint8Array(bytes), mediaType, name: basename(path) };
  expectSize(path, { bytes: bytes.length, most: maxFile });
  return `<file path="${path}">\n${decode(bytes, path).trimEnd()}\n</file>`;
}

function readLimited(path: string): Buffer {
  let file: number;
  try {
    file = openSync(resolve(path), "r");
  } catch (error) {
    throw usage("file", `${path} cannot be read: ${fileReason(error)}; name another file`);
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw usage("file", `${path} is not a file; name another one`);
    expectSize(path, { bytes: stat.size, most: maxAttachment });
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function expectSize(path: string, { bytes, most }: { bytes: number; most: number }): void {
  if (bytes <= most) return;
  const advice = "name the file in the prompt instead, so that the agent reads it";
  throw usage(
    "tooLarge",
    `${path} has ${size(bytes)}, more than the limit of ${size(most)}; ${advice}`,
  );
}

function decode(bytes: Buffer, what: string): string {
  try {
    if (bytes.includes(0)) throw new Error("the file contains a NUL byte");
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const advice = "send text, PNG, JPEG, GIF, WebP or PDF files";
    throw usage("file", `${what} is not UTF-8 text; ${advice}`);
  }
}

function size(bytes: number): string {
  return bytes < 1024 * 1024
    ? `${Math.ceil(bytes / 1024)} KiB`
    : `${Math.ceil(bytes / 1048576)} MiB`;
}

function usage(code: string, message: string): CliError {
  return new CliError(code, message, exitCodes.usage);
}

/** A saved prompt of the directory, with arguments. */
interface SlashCommand {
  readonly name: string;
  readonly arguments: string;
}

/** Parses `/name arguments`; null for other text, including a path such as /etc/hosts. */
export function readSlashCommand(text: string): SlashCommand | null {
  const match = /^\/([^\s/]+)(?:\s+(.*))?$/s.exec(text);
  if (match === null) return null;
  const [, name = "", rest = ""] = match;
  return { name, arguments: rest };
}
