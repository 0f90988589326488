import { stat } from "node:fs/promises";
import { relative } from "node:path";
import { z } from "zod";
import { pathGlob } from "./glob-pattern.ts";
import { locate, shown, subjectOf } from "./paths.ts";
import { readPermission } from "./read-permission.ts";
import { completed, failed, fileFailure } from "./result.ts";
import type { Tool } from "./tool.ts";
import { walk } from "./walk.ts";

const maxResults = 1_000;

const input = z.object({
  pattern: z.string().min(1).max(1_000).describe("For example src/**/*.ts or *.{md,txt}."),
  path: z.string().optional().describe("The folder to search. Default: the session's directory."),
  everything: z.boolean().optional().describe("Include ignored files, node_modules and .git."),
});

type GlobInput = z.infer<typeof input>;

export const globTool: Tool<GlobInput> = {
  name: "glob",
  description:
    "Finds files by name. A pattern without a slash matches in every folder; one with a slash matches " +
    "the whole path below the searched folder. To find files by their content, use grep.",
  input,
  example: { pattern: "src/**/*.test.ts" },
  repeatable: true,
  parallel: true,
  permission: ({ path = "." }, context) => readPermission(path, context),
  run: async ({ pattern, path = ".", everything = false }, context) => {
    const place = await locate(path, context);
    if (place.status === "refused") return failed(place.message);
    const { directory, settings } = context;
    const deadline = AbortSignal.timeout(settings.searchTimeout);
    const signal = AbortSignal.any([context.signal, deadline]);
    const matches = pathGlob(pattern.includes("/") ? pattern : `**/${pattern}`);
    const found: string[] = [];
    let more: string | null = null;
    try {
      if (!(await stat(place.path)).isDirectory()) return failed(`${shown(path)} is not a folder`);
      const { hidden } = settings.guarded;
      const options = { start: place.path, directory, everything, hidden, signal };
      for await (const entry of walk(options)) {
        if (!matches(relative(place.path, entry.path))) continue;
        if (found.length === maxResults) {
          more = `[more than ${maxResults} files; use a narrower pattern]`;
          break;
        }
        found.push(shown(subjectOf(entry.path, directory)));
      }
    } catch (error) {
      if (!deadline.aborted || context.signal.aborted)
        return fileFailure(path, error, context.signal);
      more = `[stopped after ${settings.searchTimeout} ms; there may be more files]`;
    }
    if (found.length === 0 && more === null) return completed("(no file matches)");
    return completed([...found, ...(more === null ? [] : [more])].join("\n"), {
      truncated: more !== null,
    });
  },
};
