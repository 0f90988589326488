import { readFileSync } from "node:fs";
import { CliError, exitCodes, fileReason } from "../cli-error.ts";
import { compileSchema } from "./json-schema.ts";
import { SchemaProblem } from "./schema-file.ts";

/** A JSON Schema that the answer must match. */
export interface AnswerSchema {
  /** Returns the prompt with an added request to answer in JSON. */
  prompt(text: string): string;
  /** Returns the follow-up prompt for an answer that did not match the schema. */
  again(problems: readonly string[]): string;
  read(answer: string): AnswerValue;
}

export type AnswerValue =
  | { readonly status: "fits"; readonly value: unknown }
  | { readonly status: "unfit"; readonly problems: readonly string[] };

const maxProblems = 10;

/** Reads a schema file. Problems are reported before anything is sent. */
export function readAnswerSchema(file: string): AnswerSchema {
  const schema = readSchemaFile(file);
  const check = compile(schema, file);
  const wish =
    "When you are done, answer with JSON only, without other text and without a code block. " +
    `It must match this JSON schema:\n${JSON.stringify(schema)}`;
  return {
    prompt: (text) => `${text}\n\n${wish}`,
    again: (problems) =>
      `Your answer does not match the schema:\n${problems.map((line) => `- ${line}`).join("\n")}\n\n` +
      `Change nothing else, and answer again. ${wish}`,
    read: (answer) => {
      const parsed = parseAnswer(answer);
      if (parsed === null) return { status: "unfit", problems: ["the answer is not JSON"] };
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
  const message = `${file} is not a usable JSON schema: ${reason}`;
  return new CliError("schema", message, exitCodes.usage);
}

/** Accepts a code block around the JSON, which models often add, but no other text. */
function parseAnswer(answer: string): { value: unknown } | null {
  const text = answer.trim();
  const fenced = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/.exec(text);
  try {
    return { value: JSON.parse(fenced?.[1] ?? text) };
  } catch {
    return null;
  }
}
