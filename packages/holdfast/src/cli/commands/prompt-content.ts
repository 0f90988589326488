import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { AttachmentContent } from "@holdfast/sdk";
import { describeBinary } from "../../agent/tools/binary.ts";
import { CliError, exitCodes, fileReason } from "../cli-error.ts";

/** More than a model can read at once is not worth sending. */
const maxFile = 256 * 1024;
const maxText = 1024 * 1024;
/** What a server takes. */
const maxAttachment = 20 * 1024 * 1024;

/** What a prompt says, and what goes along with it. */
export interface PromptWords {
  readonly text: string;
  readonly attachments: readonly AttachmentContent[];
}

/** Words from the command line or from stdin, and files: texts among the words, others beside them. */
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
      `the prompt and its files have over ${size(maxText)}; send less at once`,
    );
  }
  return { text, attachments: files.filter((file) => typeof file !== "string") };
}

/** Files alone are a prompt too; without them words are needed. */
async function wordsOf(options: {
  text: string | undefined;
  files: readonly string[];
}): Promise<string> {
  const { text, files } = options;
  const hasFiles = files.length > 0;
  if (text === undefined && process.stdin.isTTY) {
    if (hasFiles) return "";
    const advice = 'write it as holdfast run "...", or send it in through a pipe';
    throw usage("prompt", `there is no prompt; ${advice}`);
  }
  const words = text === undefined || text === "-" ? await readStdin() : text;
  if (words.trim() !== "") return words;
  if (hasFiles) return "";
  throw usage("prompt", "the prompt is empty; write what is to be done");
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    length += bytes.length;
    if (length > maxText) {
      throw usage("tooLarge", `the input has over ${size(maxText)}; send less at once`);
    }
  }
  return decode(Buffer.concat(chunks), "the input");
}

/** A text, marked as such, or an attachment. The path is given as it was written: so it is known. */
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
    throw usage("file", `${path} can't be read: ${fileReason(error)}; name another file`);
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw usage("file", `${path} is no file; name another`);
    expectSize(path, { bytes: stat.size, most: maxAttachment });
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function expectSize(path: string, { bytes, most }: { bytes: number; most: number }): void {
  if (bytes <= most) return;
  const advice = "name it in the prompt instead, and the agent reads what it needs";
  throw usage("tooLarge", `${path} has ${size(bytes)}, over ${size(most)}; ${advice}`);
}

function decode(bytes: Buffer, what: string): string {
  try {
    if (bytes.includes(0)) throw new Error("a zero byte");
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const advice = "texts, PNG, JPEG, GIF, WebP and PDF can be sent";
    throw usage("file", `${what} is no text in UTF-8; ${advice}`);
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

/** A prompt that stands for a longer one, which the directory has under this name. */
interface SlashCommand {
  readonly name: string;
  readonly arguments: string;
}

/** `/name` with what stands after it; null for other words, also for a path such as /etc/hosts. */
export function readSlashCommand(text: string): SlashCommand | null {
  const match = /^\/([^\s/]+)(?:\s+(.*))?$/s.exec(text);
  if (match === null) return null;
  const [, name = "", rest = ""] = match;
  return { name, arguments: rest };
}
