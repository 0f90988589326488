import { dirname, join } from "node:path";
import type { z } from "zod";
import type { Notice } from "../loader.ts";
import { checkSource } from "./check.ts";
import { agentFrontMatter, commandFrontMatter, fileSchema, nameSchema } from "./file-schema.ts";
import type { AgentEntry, CommandEntry, FileConfig } from "./file-schema.ts";
import { parseJsonc } from "./parse-jsonc.ts";
import { parseMarkdown } from "./parse-markdown.ts";
import { markdownNames, readText } from "./read-file.ts";
import { fileNotice, notice, placeOf } from "./source.ts";
import type { KeyPath, Place, Source } from "./source.ts";

export type Scope = "user" | "project";

/** What one of the two says: its config file, and its markdown files as if they stood in it. */
export interface Layer {
  readonly scope: Scope;
  readonly value: LayerValue;
  /** Where it says this. */
  place(path: KeyPath): Place;
  /** The folder of the file that says this: what its relative paths begin at. */
  folderOf(path: KeyPath): string;
}

export type LayerValue = FileConfig & {
  readonly commands?: Readonly<Record<string, CommandEntry>>;
};

/** Where a layer's files are. */
export interface LayerPlaces {
  readonly scope: Scope;
  readonly file: string;
  readonly agents: string;
  readonly commands: string;
  /** Files may not lead out of here; null for the user's own. */
  readonly within: string | null;
  /** Names that people might give the file, and that are not read. */
  readonly misnamed: readonly string[];
}

export interface ReadLayer {
  readonly layer: Layer;
  readonly notices: readonly Notice[];
  readonly files: readonly string[];
}

export async function readLayer(places: LayerPlaces): Promise<ReadLayer> {
  const main = await readMain(places);
  const agents = await readFolder(places.agents, places, agentFrontMatter);
  const commands = await readFolder(places.commands, places, commandFrontMatter);
  const notices = [...main.notices, ...agents.notices, ...commands.notices];

  const entries: Record<string, AgentEntry> = { ...main.value.agents };
  for (const [name, { value, body, source }] of agents.found) {
    if (Object.hasOwn(entries, name)) {
      const message = `the agent ${name} stands in ${places.file} as well; keep one of them`;
      notices.push(fileNotice("error", source.file, message));
    }
    entries[name] = body === "" ? value : { ...value, prompt: body };
  }
  const commandEntries: Record<string, CommandEntry> = {};
  for (const [name, { value, body, source }] of commands.found) {
    if (body === "") {
      notices.push(fileNotice("error", source.file, "has no text: a command's text is its prompt"));
    }
    commandEntries[name] = { ...value, text: body };
  }
  const value = { ...main.value, agents: entries, commands: commandEntries };
  const markdown = { agents: agents.found, commands: commands.found };
  return {
    layer: { scope: places.scope, value, ...lookups(places, main.source, markdown) },
    notices,
    files: [places.file, ...main.files, ...agents.files, ...commands.files],
  };
}

/** The same layer with another value: what it says that is left stands where it stood. */
export function withValue(layer: Layer, value: LayerValue): Layer {
  return { ...layer, value };
}

type Found<Value> = ReadonlyMap<string, { value: Value; body: string; source: Source }>;

function lookups(
  places: LayerPlaces,
  main: Source | null,
  markdown: Record<"agents" | "commands", Found<unknown>>,
): Pick<Layer, "place" | "folderOf"> {
  const sourceOf = (path: KeyPath): { source: Source | null; rest: KeyPath } => {
    const [kind, name] = path;
    if (kind === "agents" || kind === "commands") {
      const found = markdown[kind].get(String(name));
      if (found !== undefined) return { source: found.source, rest: path.slice(2) };
    }
    return { source: main, rest: path };
  };
  return {
    place: (path) => {
      const { source, rest } = sourceOf(path);
      return source === null
        ? { file: places.file, line: 1, column: 1 }
        : placeOf(source, rest, "value");
    },
    folderOf: (path) => dirname(sourceOf(path).source?.file ?? places.file),
  };
}

const maxBytes = 1_000_000;
const maxMarkdownBytes = 200_000;
const maxBody = 100_000;

async function readMain(places: LayerPlaces): Promise<{
  value: FileConfig;
  source: Source | null;
  notices: Notice[];
  files: string[];
}> {
  const { file, within } = places;
  const read = await readText(file, { within, maxBytes });
  const nothing = { value: {}, source: null, files: [] };
  if (read.status === "unusable") {
    return { ...nothing, notices: [fileNotice("error", file, read.message)] };
  }
  if (read.status === "missing") return { ...nothing, notices: await misnamed(places) };
  const parsed = parseJsonc(file, read.text);
  const files = read.realPath === file ? [] : [read.realPath];
  if (parsed.source === null) return { ...nothing, notices: [...parsed.notices], files };
  const checked = checkSource(parsed.source, fileSchema);
  return {
    value: checked.value ?? {},
    source: parsed.source,
    notices: [...parsed.notices, ...checked.notices],
    files,
  };
}

async function misnamed({ file, misnamed: names }: LayerPlaces): Promise<Notice[]> {
  const found: Notice[] = [];
  for (const name of names) {
    const { status } = await readText(name, { within: null, maxBytes });
    if (status === "read") found.push(fileNotice("warning", name, `is not read; name it ${file}`));
  }
  return found;
}

async function readFolder<Schema extends z.ZodType>(
  folder: string,
  { within }: LayerPlaces,
  schema: Schema,
): Promise<{ found: Found<z.output<Schema>>; notices: Notice[]; files: string[] }> {
  const { names, message } = await markdownNames(folder, { within });
  const notices = message === null ? [] : [fileNotice("error", folder, message)];
  const found = new Map<string, { value: z.output<Schema>; body: string; source: Source }>();
  const files = [folder];
  for (const fileName of names) {
    const file = join(folder, fileName);
    const name = fileName.slice(0, -".md".length);
    const named = nameSchema.safeParse(name);
    if (!named.success) {
      const advice = `the name before .md ${named.error.issues[0]?.message ?? ""}`;
      notices.push(fileNotice("warning", file, `is left out: ${advice}`));
      continue;
    }
    const read = await readText(file, { within, maxBytes: maxMarkdownBytes });
    if (read.status === "unusable") notices.push(fileNotice("error", file, read.message));
    if (read.status !== "read") continue;
    files.push(read.realPath);
    const parsed = parseMarkdown(file, read.text);
    notices.push(...parsed.notices);
    if (parsed.markdown === null) continue;
    const { source, body } = parsed.markdown;
    const checked = checkSource(source, schema);
    notices.push(...checked.notices);
    if (body.length > maxBody) {
      const place = { file, line: 1, column: 1 };
      const message = `its text has more than ${maxBody} characters`;
      notices.push(notice("error", { place, path: [], message }));
    }
    if (checked.value !== null) found.set(name, { value: checked.value, body, source });
  }
  return { found, notices, files };
}
