import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { CliError, exitCodes, fileReason } from "./cli-error.ts";

/** More than a model can read at once is not worth sending. */
const maxFile = 256 * 1024;
const maxText = 1024 * 1024;

/** The prompt's words: from the command line or from stdin, with the files that go with it. */
export async function promptText(options: {
  text: string | undefined;
  files: readonly string[];
}): Promise<string> {
  const words =
    options.text === undefined || options.text === "-" ? await readStdin() : options.text;
  if (words.trim() === "") throw usage("prompt", "the prompt is empty; write what is to be done");
  const files = options.files.map(readAttachment);
  const text = [words.trimEnd(), ...files].join("\n\n");
  if (Buffer.byteLength(text) > maxText) {
    throw usage(
      "tooLarge",
      `the prompt and its files have over ${size(maxText)}; send less at once`,
    );
  }
  return text;
}

async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) {
    const advice = 'write it as holdfast run "...", or send it in through a pipe';
    throw usage("prompt", `there is no prompt; ${advice}`);
  }
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

/** A file's content, marked as such. The path is given as it was written: that is how it is known. */
function readAttachment(path: string): string {
  const content = decode(readSmall(path), path);
  return `<file path="${path}">\n${content.trimEnd()}\n</file>`;
}

function readSmall(path: string): Buffer {
  let file: number;
  try {
    file = openSync(resolve(path), "r");
  } catch (error) {
    throw usage("file", `${path} can't be read: ${fileReason(error)}; name a text file`);
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw usage("file", `${path} is no file; name a text file`);
    if (stat.size > maxFile) {
      const advice = "name it in the prompt instead, and the agent reads what it needs";
      throw usage("tooLarge", `${path} has ${size(stat.size)}, over ${size(maxFile)}; ${advice}`);
    }
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function decode(bytes: Buffer, what: string): string {
  try {
    if (bytes.includes(0)) throw new Error("a zero byte");
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw usage("file", `${what} is no text in UTF-8; only texts can be sent`);
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
