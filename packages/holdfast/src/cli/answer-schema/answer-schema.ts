import { readFileSync } from "node:fs";
import { CliError, exitCodes, fileReason } from "../cli-error.ts";
import { compileSchema } from "./json-schema.ts";
import { SchemaProblem } from "./schema-file.ts";

/** A form that the answer must have. */
export interface AnswerSchema {
  /** The prompt with the wish added to it. */
  prompt(text: string): string;
  /** What to send when the answer did not fit. */
  again(problems: readonly string[]): string;
  read(answer: string): AnswerValue;
}

export type AnswerValue =
  | { readonly status: "fits"; readonly value: unknown }
  | { readonly status: "unfit"; readonly problems: readonly string[] };

const maxProblems = 10;

/** Reads a schema file; what is wrong with it is said before anything is sent. */
export function readAnswerSchema(file: string): AnswerSchema {
  const schema = readSchemaFile(file);
  const check = compile(schema, file);
  const wish =
    "When you are done, answer with JSON alone, without other words and without a code block. " +
    `It must fit this JSON schema:\n${JSON.stringify(schema)}`;
  return {
    prompt: (text) => `${text}\n\n${wish}`,
    again: (problems) =>
      `Your answer does not fit:\n${problems.map((line) => `- ${line}`).join("\n")}\n\n` +
      `Change nothing else, and answer once more. ${wish}`,
    read: (answer) => {
      const parsed = parseAnswer(answer);
      if (parsed === null) return { status: "unfit", problems: ["the answer is no JSON"] };
      const problems = check(parsed.value);
      return problems.length === 0
        ? { status: "fits", value: parsed.value }
        : { status: "unfit", problems: problems.slice(0, maxProblems) };
    },
  };
}

function readSchemaFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw broken(file, fileReason(error));
  }
}

function compile(schema: unknown, file: string): (value: unknown) => readonly string[] {
  try {
    return compileSchema(schema);
  } catch (error) {
    if (error instanceof SchemaProblem) throw broken(file, error.message);
    throw error;
  }
}

function broken(file: string, reason: string): CliError {
  const message = `${file} is no JSON schema that can be used: ${reason}`;
  return new CliError("schema", message, exitCodes.usage);
}

/** Models like to wrap it in a code block; words around it are not forgiven. */
function parseAnswer(answer: string): { value: unknown } | null {
  const text = answer.trim();
  const fenced = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/.exec(text);
  try {
    return { value: JSON.parse(fenced?.[1] ?? text) };
  } catch {
    return null;
  }
}
