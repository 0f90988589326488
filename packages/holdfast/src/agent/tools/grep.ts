import { stat } from "node:fs/promises";
import { relative } from "node:path";
import { z } from "zod";
import { pathGlob } from "./glob-pattern.ts";
import { locate, shown, subjectOf } from "./paths.ts";
import type { FoundPlace } from "./paths.ts";
import { readPermission } from "./read-permission.ts";
import { capText, completed, failed, fileFailure } from "./result.ts";
import { startSearcher } from "./search-worker.ts";
import type { Searcher } from "./search-worker.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";
import { walk } from "./walk.ts";

const maxMatches = 500;
const maxLineLength = 500;
const batchSize = 100;

const input = z.object({
  pattern: z
    .string()
    .min(1)
    .max(2_000)
    .describe("A JavaScript regular expression, matched against single lines."),
  path: z
    .string()
    .optional()
    .describe("The file or folder to search. Default: the session's directory."),
  include: z.string().max(1_000).optional().describe("Only files whose path matches this glob."),
  ignoreCase: z.boolean().optional(),
  filesOnly: z.boolean().optional().describe("Return only the names of matching files."),
  everything: z.boolean().optional().describe("Include ignored files, node_modules and .git."),
});

type GrepInput = z.infer<typeof input>;

export const grepTool: Tool<GrepInput> = {
  name: "grep",
  description:
    "Searches the lines of files for a regular expression. Skips binary files, files ignored by " +
    ".gitignore, node_modules and .git, and files that need permission to read. An expression that " +
    "takes too long is stopped.",
  input,
  example: { pattern: "function \\w+Error", include: "src/**/*.ts" },
  repeatable: true,
  parallel: true,
  permission: ({ path = "." }, context) => readPermission(path, context),
  run: async (request, context) => {
    const { path = "." } = request;
    const place = await locate(path, context);
    if (place.status === "refused") return failed(place.message);
    const expression = parseExpression(request);
    if ("problem" in expression) return failed(expression.problem);
    const { filesOnly: namesOnly = false } = request;
    const searcher = startSearcher({
      ...expression,
      maxMatches: maxMatches + 1,
      maxLineLength,
      namesOnly,
    });
    const deadline = AbortSignal.timeout(context.settings.searchTimeout);
    const signal = AbortSignal.any([context.signal, deadline]);
    const stop = (): void => void searcher.stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      const skipped = await searchAll(searcher, { request, place, context, signal });
      return answer({ searcher, request, context, skipped, late: false });
    } catch (error) {
      if (context.signal.aborted) return failed("The run stopped before the call ended.");
      if (deadline.aborted) return answer({ searcher, request, context, skipped: 0, late: true });
      return fileFailure(path, error, context.signal);
    } finally {
      signal.removeEventListener("abort", stop);
      await searcher.stop();
    }
  },
};

/** Sends the files to the searcher in batches. Returns the number of files that the permission rules excluded. */
async function searchAll(
  searcher: Searcher,
  options: { request: GrepInput; place: FoundPlace; context: ToolContext; signal: AbortSignal },
): Promise<number> {
  const { request, place, context, signal } = options;
  const { directory } = context;
  // The path is a single file, whose permission was already checked.
  if (!(await stat(place.path)).isDirectory()) {
    await searcher.search([place.path]);
    return 0;
  }
  const { include = "**", everything = false } = request;
  const included = pathGlob(include.includes("/") ? include : `**/${include}`);
  let batch: string[] = [];
  let skipped = 0;
  const { hidden } = context.settings.guarded;
  const walked = walk({ start: place.path, directory, everything, hidden, signal });
  for await (const { path, kind } of walked) {
    if (kind !== "file" || !included(relative(place.path, path))) continue;
    if (context.mayRead(subjectOf(path, directory))) batch.push(path);
    else skipped += 1;
    if (batch.length < batchSize) continue;
    await searcher.search(batch);
    if (searcher.matches.length > maxMatches) return skipped;
    batch = [];
  }
  await searcher.search(batch);
  return skipped;
}

function answer(options: {
  searcher: Searcher;
  request: GrepInput;
  context: ToolContext;
  skipped: number;
  late: boolean;
}): ToolResult {
  const { searcher, request, context, skipped, late } = options;
  const { searchTimeout, maxOutput } = context.settings;
  const found = searcher.matches.slice(0, maxMatches);
  const lines = found.map(({ path, line, text }) => {
    const name = shown(subjectOf(path, context.directory));
    return request.filesOnly === true ? name : `${name}:${line}:${text}`;
  });
  const capped = capText(lines.join("\n") || "(no matches)", maxOutput);
  const notes: string[] = [];
  const more = searcher.matches.length > maxMatches;
  if (more) notes.push(`[more than ${maxMatches} matches; use a narrower pattern]`);
  if (late) notes.push(`[stopped after ${searchTimeout} ms; the result is incomplete]`);
  if (skipped > 0) notes.push(`[${skipped} files skipped because reading them needs permission]`);
  const output = [capped.text, ...notes].join("\n");
  if (late && found.length === 0) return failed(output);
  return completed(output, { truncated: more || late || capped.truncated });
}

/** Parses a search pattern. `(?i)` at its start means "ignore case". */
function parseExpression(
  request: GrepInput,
): { source: string; flags: string } | { problem: string } {
  const inline = request.pattern.startsWith("(?i)");
  const source = inline ? request.pattern.slice(4) : request.pattern;
  const flags = inline || request.ignoreCase === true ? "i" : "";
  try {
    // Compile only to check the syntax.
    void new RegExp(source, flags);
    return { source, flags };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
