import { fieldsOf } from "../../base/json-rpc.ts";
import { shown } from "../tools/paths.ts";
import { previewDiff } from "../tools/preview-diff.ts";
import type { DiffPreview } from "../tools/preview-diff.ts";
import { makeDiff } from "../tools/show-diff.ts";
import type { Diff } from "../tools/show-diff.ts";
import type { PermissionRequest } from "../tools/tool.ts";
import { pathsOf, realSubject } from "./call-paths.ts";
import type { CallUpdate } from "./updates.ts";

/** A tool call of a hosted agent, converted so that it looks like a call of Holdfast's own tools. */
export interface CallView {
  readonly name: string;
  readonly input: unknown;
}

const names: Readonly<Partial<Record<string, string>>> = {
  execute: "shell",
  edit: "edit",
  delete: "delete",
  move: "move",
  read: "read",
  search: "search",
  fetch: "fetch",
  think: "think",
};

const maxInput = 100_000;
const maxOutput = 50_000;

/**
 * True for a call that the agent announces while its model still writes the input. Such a call has not started. Claude
 * Code and opencode announce all their calls in this way, with a placeholder as the title.
 */
export function isDraft({ status, input }: CallUpdate): boolean {
  if (status !== "pending" || typeof input !== "object" || input === null) return false;
  return Object.keys(input).every((name) => name === "cwd");
}

export function viewCall(call: CallUpdate): CallView {
  const { kind = "other", title, name, input } = call;
  const fields = typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
  const command = kind === "execute" ? { command: commandOf(call) } : {};
  // The path of a command is its working directory.
  const path = kind === "execute" ? undefined : (call.paths?.[0] ?? call.diffs?.[0]?.path);
  const whole = {
    ...(path === undefined ? {} : { path }),
    ...fields,
    ...command,
    ...(title === undefined ? {} : { title }),
  };
  const isLarge = JSON.stringify(whole).length > maxInput;
  return {
    name: names[kind] ?? (name ?? title ?? "tool").slice(0, 100),
    input: isLarge ? { ...command, title: title ?? "" } : whole,
  };
}

/** Returns the output so far: the content of the call's terminal if the call has a terminal, else the call's text. */
export function outputOf({ terminal, output = "" }: CallUpdate): string {
  return terminal ?? output;
}

/** Builds the output, diff and exit code of a call that has ended. */
export function resultOf(
  call: CallUpdate,
  directory: string,
): { output: string; extra: ResultExtra | null } {
  const { exitCode } = call;
  const output = outputOf(call);
  const cut = output.length > maxOutput ? `${output.slice(0, maxOutput)}\n[cut]` : output;
  const diff = diffOf(call, directory);
  const extra = {
    ...(diff === null
      ? {}
      : { diff: diff.text, change: { added: diff.added, removed: diff.removed } }),
    ...(exitCode === undefined ? {} : { exitCode }),
  };
  return { output: cut, extra: Object.keys(extra).length === 0 ? null : extra };
}

interface ResultExtra {
  readonly diff?: string;
  readonly change?: { readonly added: number; readonly removed: number };
  readonly exitCode?: number;
}

/** Returns the diffs of all files that a call changes, as one diff. */
function diffOf({ diffs = [] }: CallUpdate, directory: string): Diff | null {
  if (diffs.length === 0) return null;
  const each = diffs.map(({ path, before, after }) =>
    makeDiff({ path: realSubject(path, directory), before, after }),
  );
  return {
    text: each.map(({ text }) => text).join(""),
    added: each.reduce((sum, { added }) => sum + added, 0),
    removed: each.reduce((sum, { removed }) => sum + removed, 0),
  };
}

/**
 * Builds the permission request for Holdfast's rules. The agent describes its own action, so a rule can only be as
 * exact as this description.
 */
export function permissionOf(
  call: CallUpdate,
  place: { agent: string; directory: string },
): PermissionRequest {
  const { agent, directory } = place;
  const { kind = "other", title = "an action" } = call;
  if (kind === "execute") {
    const command = commandOf(call);
    const diff = diffOf(call, directory);
    const folder = folderOf(call, directory);
    const isElsewhere = folder !== ".";
    const line = isElsewhere ? `${command}\n(in ${shown(folder)})` : command;
    // Show a command as text, even if the agent adds a diff.
    const preview = diff === null ? line : `${line}\n\n${diff.text}`;
    const place = isElsewhere ? { path: folder } : {};
    return { action: "run", subject: command, ...place, preview };
  }
  const preview = previewOf(call, directory);
  const [file] = fileKinds.has(kind) ? filesOf(call, directory) : [];
  if (file !== undefined) return { ...file, ...preview };
  const { url } = fieldsOf(call.input);
  if (kind === "fetch" && typeof url === "string")
    return { action: "fetch", subject: url, ...preview };
  const what = (call.name ?? title).replaceAll(/\s+/g, " ").slice(0, 200);
  return { action: "mcp", subject: `${agent}/${what}`, ...preview };
}

/** Kinds of calls whose permission request is about files. */
const fileKinds = new Set(["edit", "delete", "move", "read"]);

/**
 * Returns a permission request for each file that the call names. The rules must allow all of them. A diff is a change
 * in a call of any kind.
 */
export function filesOf(call: CallUpdate, directory: string): readonly PermissionRequest[] {
  const { kind = "other", diffs = [] } = call;
  const changes = diffs.map(({ path }) => changeOf(path, directory));
  if (!fileKinds.has(kind)) return changes;
  const paths = pathsOf(call);
  if (kind === "read") return [...paths.map((path) => readOf(path, directory)), ...changes];
  return paths.map((path) => changeOf(path, directory));
}

/** Returns the files of a call that neither its first request nor its diff shows. */
export function hiddenFiles(call: CallUpdate, directory: string): readonly string[] {
  const [first, ...others] = filesOf(call, directory).map(({ subject }) => subject);
  const inDiffs = (call.diffs ?? []).map(({ path }) => realSubject(path, directory));
  return [...new Set(others)].filter((file) => file !== first && !inDiffs.includes(file));
}

function readOf(path: string, directory: string): PermissionRequest {
  return { action: "read", subject: realSubject(path, directory), preview: "" };
}

function changeOf(path: string, directory: string): PermissionRequest {
  const file = realSubject(path, directory);
  // The directory itself is not inside the directory, so that no rule for its files allows deleting or moving it.
  return { action: "change", subject: file === "." ? directory : file, preview: "" };
}

function previewOf(
  call: CallUpdate,
  directory: string,
): Pick<PermissionRequest, "preview"> | DiffPreview {
  const diff = diffOf(call, directory);
  if (diff !== null) return previewDiff(diff);
  const input = call.input === undefined ? "" : `\n${JSON.stringify(call.input, null, 2)}`;
  return { preview: `${call.title ?? ""}${input}` };
}

/** Returns the command line of a call from its input, whose field names differ between agents, else from its title. */
function commandOf({ input, title = "" }: CallUpdate): string {
  const { command, cmd } = fieldsOf(input);
  const found = command ?? cmd;
  if (Array.isArray(found)) return shellOf(found.map(String));
  if (typeof found === "string" && found !== "") return found;
  return title.replace(/^`([\s\S]*)`$/, "$1");
}

/** Names of the field with the working directory of a command, which differ between agents. */
const folderFields = ["cwd", "workdir", "working_directory", "dir_path", "directory"];

/**
 * Returns the real folder in which a command runs: the one in its input, else the path of the call. If the input names
 * several folders, returns one that is not the session's directory, so that no rule for this directory applies.
 */
function folderOf({ input, paths = [] }: CallUpdate, directory: string): string {
  const fields = fieldsOf(input);
  const inInput = folderFields.map((name) => fields[name]).filter(isName);
  const named = inInput.length > 0 ? inInput : paths.slice(0, 1);
  const folders = named.map((folder) => realSubject(folder, directory));
  return folders.find((folder) => folder !== ".") ?? ".";
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Joins the words of a command line. For `bash -lc "command"`, returns only the inner command. */
function shellOf(words: readonly string[]): string {
  const [shell = "", option = "", command] = words;
  const isShell = /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(option);
  if (isShell && command !== undefined && words.length === 3) return command;
  return words.map(quoted).join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
