import { z } from "zod";
import type { ToolDefinition } from "../model/model.ts";
import { planInstructions } from "../permissions/mode.ts";
import type { Tool } from "../tools/tool.ts";
import type { Environment, GitState } from "./environment.ts";
import { familyLines, opening, sections, shortRules } from "./prompt-text.ts";

/** Models with a context window smaller than this (in tokens) get a short system prompt, and tools without examples. */
const smallWindow = 20_000;

export interface SystemPromptOptions {
  readonly directory: string;
  readonly environment: Environment;
  readonly instructions: readonly { readonly path: string; readonly text: string }[];
  /** The prompt of the selected agent profile. */
  readonly role?: string | null;
  /** True if the session is in plan mode. */
  readonly isPlanning?: boolean;
  /** Names of resources that should be available but are not. */
  readonly without?: readonly string[] | undefined;
  /** Name of the model, to add advice for its model family. */
  readonly model: string;
  readonly context: number;
  /** Names of the agent's tools. */
  readonly tools: readonly string[];
}

/**
 * Builds the system prompt. During a run it changes only if the session's mode changes, so that the provider can cache
 * it.
 */
export function systemPrompt(options: SystemPromptOptions): string {
  const { role = null, without = [] } = options;
  const parts = [opening, ...rules(options)];
  if (role !== null) parts.push(role);
  if (options.isPlanning === true) parts.push(planInstructions);
  parts.push(describeEnvironment(options));
  if (without.length > 0) {
    parts.push(`Currently unavailable, including their tools: ${without.join(", ")}.`);
  }
  if (options.instructions.length > 0) {
    parts.push(
      "Follow the project instructions below. The user's messages take precedence over them. If two files contradict " +
        "each other, follow the later one, which is from the nearer folder.",
    );
  }
  for (const { path, text } of options.instructions) {
    parts.push(`Project instructions from ${path}:\n\n${text}`);
  }
  return parts.join("\n\n");
}

function rules({ model, context, tools }: SystemPromptOptions): readonly string[] {
  if (context < smallWindow) return [list("Rules", shortRules)];
  const written = sections.map(({ title, lines }) => {
    const used = lines.filter(({ tool }) => isUsed(tool, tools)).map(({ text }) => text);
    return list(title, used);
  });
  const family = familyLines.find(({ pattern }) => pattern.test(model));
  return family === undefined ? written : [...written, list("Also", family.lines)];
}

function isUsed(tool: string | undefined, tools: readonly string[]): boolean {
  return tool === undefined || tools.includes(tool);
}

function list(title: string, lines: readonly string[]): string {
  return [`# ${title}`, ...lines.map((line) => `- ${line}`)].join("\n");
}

function describeEnvironment({ directory, environment }: SystemPromptOptions): string {
  const { date, system, shell, git } = environment;
  return list("Environment when this run started", [
    `Directory: ${directory}`,
    `Git: ${describeGit(git)}`,
    `Date: ${date}`,
    `Operating system: ${system}`,
    `Shell for commands: ${shell}`,
  ]);
}

/** Describes the git state. Quotes the branch name, because the repository's authors chose it. */
function describeGit(git: GitState | null): string {
  if (git === null) return "the directory is not in a repository";
  const branch = git.branch === null ? "no branch" : `branch ${JSON.stringify(git.branch)}`;
  const state = git.unfinished === null ? "" : `, in the middle of a ${git.unfinished}`;
  return `a repository, ${branch}${state}`;
}

/** Converts tools to definitions for the model, in a stable order so that providers can cache them. */
export function toolDefinitions(
  tools: readonly Tool[],
  { context }: { readonly context: number },
): readonly ToolDefinition[] {
  const cache = context < smallWindow ? shortDefinitions : definitions;
  const known = cache.get(tools);
  if (known !== undefined) return known;
  const made = tools
    .map(({ name, description, input, schema, example }) => ({
      name,
      description:
        cache === shortDefinitions || example === undefined
          ? description
          : `${description}\nExample: ${JSON.stringify(example)}`,
      schema: schema ?? z.toJSONSchema(input),
    }))
    .toSorted((left, right) => left.name.localeCompare(right.name));
  cache.set(tools, made);
  return made;
}

/** Cached tool definitions by tool list. */
const definitions = new WeakMap<readonly Tool[], readonly ToolDefinition[]>();
const shortDefinitions = new WeakMap<readonly Tool[], readonly ToolDefinition[]>();
