import type { z } from "zod";
import type { Notice } from "../loader.ts";
import { checkSource } from "./check.ts";
import { agentFrontMatter, commandFrontMatter, fileSchema } from "./file-schema.ts";
import { parseMarkdown } from "./parse-markdown.ts";
import { notice } from "./source.ts";
import type { Source } from "./source.ts";
import type { FileConfig } from "./file-schema.ts";
import { parseJsonc } from "./parse-jsonc.ts";

// A separate file, so that the parsers are loaded only if there is something to parse.

export interface ParsedMarkdown<Value> {
  /** Null if the file cannot be used. The notices contain the reason. */
  readonly entry: { readonly value: Value; readonly body: string; readonly source: Source } | null;
  readonly notices: readonly Notice[];
}

export function parseAgent(
  file: string,
  text: string,
): ParsedMarkdown<z.output<typeof agentFrontMatter>> {
  return parseFile(file, text, agentFrontMatter);
}

export function parseCommand(
  file: string,
  text: string,
): ParsedMarkdown<z.output<typeof commandFrontMatter>> {
  return parseFile(file, text, commandFrontMatter);
}

const maxBody = 100_000;

function parseFile<Schema extends z.ZodType>(
  file: string,
  text: string,
  schema: Schema,
): ParsedMarkdown<z.output<Schema>> {
  const { markdown, notices } = parseMarkdown(file, text);
  if (markdown === null) return { entry: null, notices };
  const { source, body } = markdown;
  if (body.length > maxBody) {
    const message = `the text has more than ${maxBody} characters`;
    const place = { file, line: 1, column: 1 };
    return { entry: null, notices: [notice("error", { place, path: [], message })] };
  }
  const checked = checkSource(source, schema);
  const entry = checked.value === null ? null : { value: checked.value, body, source };
  return { entry, notices: checked.notices };
}

export interface ParsedMain {
  readonly value: FileConfig;
  readonly source: Source | null;
  readonly notices: readonly Notice[];
}

export function parseMain(file: string, text: string): ParsedMain {
  const parsed = parseJsonc(file, text);
  if (parsed.source === null) return { value: {}, source: null, notices: parsed.notices };
  const checked = checkSource(parsed.source, fileSchema);
  return {
    value: checked.value ?? {},
    source: parsed.source,
    notices: [...parsed.notices, ...checked.notices],
  };
}
