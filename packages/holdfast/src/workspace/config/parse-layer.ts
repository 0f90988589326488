import type { Notice } from "../loader.ts";
import { checkSource } from "./check.ts";
import { fileSchema } from "./file-schema.ts";
import type { FileConfig } from "./file-schema.ts";
import { parseJsonc } from "./parse-jsonc.ts";
import type { Source } from "./source.ts";

// Apart from the rest, so that where no config is, no parser is loaded.

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
