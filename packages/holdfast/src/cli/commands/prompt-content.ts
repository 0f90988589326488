import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { AttachmentContent } from "@holdfast/sdk";
import { describeBinary } from "../../agent/tools/binary.ts";
import { CliError, exitCodes, fileReason } from "../cli-error.ts";

/**
 * Maximum bytes of one text file (`maxFile`), and of a prompt together with its text files (`maxText`). A model could
 * not read more at once.
 */
const maxFile = 256 * 1024;
const maxText = 1024 * 1024;
/** Maximum bytes of an attachment, the same as on the server. */
const maxAttachment = 20 * 1024 * 1024;

/** Text and attachments of a prompt. */
export interface PromptWords {
  readonly text: string;
  readonly attachments: readonly AttachmentContent[];
}

export interface ContentOptions {
  readonly text: string | undefined;
  readonly files: readonly string[];
  /** False: do not read stdin, unless the prompt is `-`. */
  readonly stdin: boolean;
  /** True: the prompt may be left out, and the command then continues the unfinished prompt of the session. */
  readonly isOptional: boolean;
  /** Tells the user that stdin was attached, or that the command waits for the end of stdin. */
  readonly say: (line: string) => void;
}

/**
 * Builds a prompt from the command line or stdin, and from files. Text files become part of the prompt's text; other
 * files are attached.
 */
export async function promptContent(options: ContentOptions): Promise<PromptWords | null> {
  const words = await wordsOf(options);
  if (words === null) return null;
  const piped = options.stdin && isGiven(options.text) ? await readPiped(options) : [];
  const files = [...piped, ...options.files.map(readFile)];
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

/** File name that the prompt shows for piped input. Piped text may exceed `maxFile`, but not `maxText`. */
const stdinName = "stdin";

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== "-";
}

/**
 * Reads stdin as an attachment, such as a log that is piped into the command. Used if the command line contains the
 * prompt.
 */
async function readPiped({
  say,
}: ContentOptions): Promise<readonly (string | AttachmentContent)[]> {
  if (!isPipeOrFile()) return [];
  const bytes = await readStdin(say);
  if (bytes.toString("latin1").trim() === "") return [];
  say(`attached ${size(bytes.length)} from stdin`);
  return [fileContent(stdinName, bytes)];
}

/** False if stdin is a terminal, /dev/null or a socket. The program that opened a socket may never write to it. */
function isPipeOrFile(): boolean {
  try {
    const stat = fstatSync(process.stdin.fd);
    return stat.isFIFO() || stat.isFile();
  } catch {
    return false;
  }
}

/** Returns the text of the prompt. It may be empty only if files are attached. */
async function wordsOf(options: ContentOptions): Promise<string | null> {
  const { text, files, say } = options;
  const hasFiles = files.length > 0;
  const isOptional = options.isOptional && text === undefined && !hasFiles;
  if (isOptional && !(options.stdin && isPipeOrFile())) return null;
  if (text === undefined && (process.stdin.isTTY || !options.stdin)) {
    if (hasFiles) return "";
    const advice = 'write it as holdfast run "...", or pipe it to stdin';
    throw usage("prompt", `there is no prompt; ${advice}`);
  }
  const words = isGiven(text) ? text : decode(await readStdin(say), "the input");
  if (words.trim() !== "") return words;
  if (isOptional) return null;
  if (hasFiles) return "";
  throw usage("prompt", "the prompt is empty; write a task for the agent");
}

/** Milliseconds after which the command says that it still waits for the end of the input. */
const longWait = 2_000;

async function readStdin(say: (line: string) => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const note = "waiting for the end of stdin; --no-stdin does not read it";
  const timer = setTimeout(() => say(note), longWait).unref();
  try {
    for await (const chunk of process.stdin) {
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      length += bytes.length;
      if (length > maxText) {
        throw usage("tooLarge", `the input is larger than ${size(maxText)}; send less at once`);
      }
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads a file: a text file as text with its name, any other file as an attachment. The path stays as the user wrote
 * it.
 */
function readFile(path: string): string | AttachmentContent {
  return fileContent(path, readLimited(path));
}

function fileContent(path: string, bytes: Buffer): string | AttachmentContent {
  const { mediaType = null } = describeBinary(bytes) ?? {};
  if (mediaType !== null)
    return { content: new Uint8Array(bytes), mediaType, name: basename(path) };
  if (path !== stdinName) expectSize(path, { bytes: bytes.length, most: maxFile });
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
  if (bytes < 1024) return `${bytes} B`;
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
