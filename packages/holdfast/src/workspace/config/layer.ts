import { dirname, join } from "node:path";
import type { Notice } from "../loader.ts";
import type { AgentEntry, CommandEntry, FileConfig } from "./file-schema.ts";
import { nameAdvice, namePattern } from "./names.ts";
import type { ParsedMain, ParsedMarkdown } from "./parse-entry.ts";
import { maxConfigBytes } from "./places.ts";
import type { LayerPlaces, Scope } from "./places.ts";
import { markdownNames, readText } from "./read-file.ts";
import { fileNotice, placeOf } from "./source.ts";
import type { KeyPath, Place, Source } from "./source.ts";

/** A layer of the config (user or project): its config file and its Markdown files. */
export interface Layer {
  readonly scope: Scope;
  readonly value: LayerValue;
  /** Returns the position of a value in its file, for messages. */
  place(path: KeyPath): Place;
  /** Returns the folder of the file that contains this value. Relative paths in the value start there. */
  folderOf(path: KeyPath): string;
}

export type LayerValue = FileConfig & {
  readonly commands?: Readonly<Record<string, CommandEntry>>;
};

/** An empty project config, used if there is no project. */
export const emptyLayer: ReadLayer = {
  layer: {
    scope: "project",
    value: {},
    place: () => ({ file: "", line: 1, column: 1 }),
    folderOf: () => "/",
  },
  notices: [],
  files: [],
};

export interface ReadLayer {
  readonly layer: Layer;
  readonly notices: readonly Notice[];
  readonly files: readonly string[];
}

/**
 * Reads the config file and the Markdown files of a user or a project. If `text` is not null, it is used instead of the
 * content of the config file.
 */
export async function readLayer(places: LayerPlaces, text: string | null): Promise<ReadLayer> {
  const main = await readMain(places, text);
  const agents = await readFolder(places.agents, places, async (file, text) =>
    (await import("./parse-entry.ts")).parseAgent(file, text),
  );
  const commands = await readFolder(places.commands, places, async (file, text) =>
    (await import("./parse-entry.ts")).parseCommand(file, text),
  );
  const notices = [...main.notices, ...agents.notices, ...commands.notices];

  const entries: Record<string, AgentEntry> = { ...main.value.agents };
  for (const [name, { value, body, source }] of agents.found) {
    if (Object.hasOwn(entries, name)) {
      const message = `the agent ${name} is also defined in ${places.file}; remove one of them`;
      notices.push(fileNotice("error", source.file, message));
    }
    entries[name] = body === "" ? value : { ...value, prompt: body };
  }
  const commandEntries: Record<string, CommandEntry> = {};
  for (const [name, { value, body, source }] of commands.found) {
    if (body === "") {
      notices.push(
        fileNotice("error", source.file, "has no text; the text of a command is its prompt"),
      );
    }
    commandEntries[name] = { ...value, text: body, file: source.file };
  }
  const value = { ...main.value, agents: entries, commands: commandEntries };
  const markdown = { agents: agents.found, commands: commands.found };
  return {
    layer: { scope: places.scope, value, ...sourceLookups(places, main.source, markdown) },
    notices,
    files: [places.file, ...main.files, ...agents.files, ...commands.files],
  };
}

/**
 * Returns a copy of a config layer (the settings of the user or of a project) with new settings. The recorded positions
 * of settings in files stay the same.
 */
export function withValue(layer: Layer, value: LayerValue): Layer {
  return { ...layer, value };
}

type Found<Value> = ReadonlyMap<string, { value: Value; body: string; source: Source }>;

function sourceLookups(
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

const maxMarkdownBytes = 200_000;

async function readMain(
  places: LayerPlaces,
  text: string | null,
): Promise<ParsedMain & { files: readonly string[] }> {
  const { file, root } = places;
  const read = await (text === null
    ? readText(file, { root, maxBytes: maxConfigBytes })
    : { status: "read" as const, text: text.replace(/^\uFEFF/, ""), realPath: file });
  const nothing = { value: {}, source: null, files: [] };
  if (read.status === "unusable") {
    return { ...nothing, notices: [fileNotice("error", file, read.message)] };
  }
  if (read.status === "missing") return { ...nothing, notices: await misnamed(places) };
  const { parseMain } = await import("./parse-entry.ts");
  return { ...parseMain(file, read.text), files: [read.realPath] };
}

async function misnamed({ file, misnamed: names }: LayerPlaces): Promise<Notice[]> {
  const found: Notice[] = [];
  for (const name of names) {
    const { status } = await readText(name, { root: null, maxBytes: maxConfigBytes });
    if (status === "read")
      found.push(fileNotice("warning", name, `this file is ignored; rename it to ${file}`));
  }
  return found;
}

async function readFolder<Value>(
  folder: string,
  { root }: LayerPlaces,
  parse: (file: string, text: string) => Promise<ParsedMarkdown<Value>>,
): Promise<{ found: Found<Value>; notices: Notice[]; files: string[] }> {
  const { names, message } = await markdownNames(folder, { root });
  const notices = message === null ? [] : [fileNotice("error", folder, message)];
  const found = new Map<string, { value: Value; body: string; source: Source }>();
  const files = [folder];
  for (const fileName of names) {
    const file = join(folder, fileName);
    const name = fileName.slice(0, -".md".length);
    if (!namePattern.test(name)) {
      const message = `is ignored: the name before .md ${nameAdvice}`;
      notices.push(fileNotice("warning", file, message));
      continue;
    }
    const read = await readText(file, { root, maxBytes: maxMarkdownBytes });
    if (read.status === "unusable") notices.push(fileNotice("error", file, read.message));
    if (read.status !== "read") continue;
    files.push(file, read.realPath);
    const parsed = await parse(file, read.text);
    notices.push(...parsed.notices);
    if (parsed.entry !== null) found.set(name, parsed.entry);
  }
  return { found, notices, files };
}
