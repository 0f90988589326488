import { FileProblem, hashOf, putFile, readWhole } from "./files.ts";
import type { FileContent } from "./files.ts";
import { follow, locate, shown } from "./paths.ts";
import type { FoundPlace } from "./paths.ts";
import { capText, completed, failed, fileFailure } from "./result.ts";
import { makeDiff } from "./show-diff.ts";
import { previewDiff } from "./preview-diff.ts";
import type { DiffPreview } from "./preview-diff.ts";
import type { PermissionRequest, ToolContext, ToolResult, TouchedFile } from "./tool.ts";

/** Computes the new text of a file. `before` is null if the file does not exist. */
export type MakeText = (
  before: string | null,
) =>
  | { readonly status: "made"; readonly text: string }
  | { readonly status: "refused"; readonly message: string };

const maxDiffForModel = 2_000;

/** Builds the permission request for a change, with a diff as preview. */
export async function changePermission(
  path: string,
  make: MakeText,
  context: ToolContext,
): Promise<PermissionRequest> {
  const place = await follow(path, context);
  if (place.status === "refused") throw new FileProblem(place.message);
  return { action: "change", subject: place.subject, ...(await preview(place, make, context)) };
}

/** Returns the reason why the file cannot be changed in this way; null if no reason is known. */
export async function changeProblem(
  path: string,
  make: MakeText,
  context: ToolContext,
): Promise<string | null> {
  const place = await locate(path, context);
  if (place.status === "refused") return place.message;
  try {
    const before = await readWhole(place.path, context.settings.maxFileBytes);
    const objection = before === null ? null : objectionTo(place, before, context);
    if (objection !== null) return objection;
    const made = make(before === null ? null : decode(before.bytes));
    return made.status === "refused" ? `${shown(place.subject)}: ${made.message}` : null;
  } catch (error) {
    return fileFailure(path, error, context.signal).output;
  }
}

/** Returns the content of the file before the change, so that the change can be undone. */
export async function changeTouches(
  path: string,
  context: ToolContext,
): Promise<readonly TouchedFile[]> {
  const place = await locate(path, context);
  if (place.status === "refused") return [];
  try {
    const content = await readWhole(place.path, context.settings.maxFileBytes);
    return [{ path: place.path, before: content?.bytes ?? null }];
  } catch {
    // A file that cannot be read cannot be changed either, so the call will fail with the reason.
    return [];
  }
}

/**
 * Changes a file, but only if the session has seen its current content, so that two sessions in one directory do not
 * overwrite each other's changes.
 */
export async function changeFile(
  path: string,
  make: MakeText,
  context: ToolContext,
): Promise<ToolResult> {
  const place = await locate(path, context);
  if (place.status === "refused") return failed(place.message);
  const { maxFileBytes } = context.settings;
  try {
    const before = await readWhole(place.path, maxFileBytes);
    const text = before === null ? null : decode(before.bytes);
    const objection = before === null ? null : objectionTo(place, before, context);
    if (objection !== null) return failed(objection);
    const made = make(text);
    if (made.status === "refused") return failed(`${shown(place.subject)}: ${made.message}`);
    const bytes = Buffer.from(made.text);
    if (bytes.length > maxFileBytes) {
      return failed(`the new content has ${bytes.length} bytes; the limit is ${maxFileBytes}`);
    }
    const hash = hashOf(bytes);
    const seen = [{ path: place.path, hash }];
    if (hash === before?.hash)
      return completed(`${shown(place.subject)} already has this content`, { seen });
    const onPut = (): void => {
      if (!context.mayAct()) throw new FileProblem("the run stopped before the change");
    };
    onPut();
    await putFile({ path: place.path, bytes, before, onPut });
    const diff = makeDiff({ path: shown(place.subject), before: text, after: made.text });
    const { added, removed } = diff;
    const verb = before === null ? "Created" : "Changed";
    const brief = before === null ? "" : `\n${capText(diff.text, maxDiffForModel).text}`;
    return completed(`${verb} ${shown(place.subject)}${brief}`, {
      seen,
      diff: diff.text,
      change: { added, removed },
    });
  } catch (error) {
    return fileFailure(path, error, context.signal);
  }
}

function objectionTo(place: FoundPlace, before: FileContent, context: ToolContext): string | null {
  // Refuse a read-only file: replacing it would bypass its mode.
  if ((before.mode & 0o222) === 0) {
    return `${shown(place.subject)} is read-only. Ask the user before you make it writable.`;
  }
  const known = context.seen(place.path);
  if (known === before.hash) return null;
  return known === null
    ? `${shown(place.subject)} exists but was not read in this session. Read it first.`
    : `${shown(place.subject)} has changed since this session last read it. Read it again.`;
}

async function preview(
  place: FoundPlace,
  make: MakeText,
  context: ToolContext,
): Promise<Pick<PermissionRequest, "preview"> | DiffPreview> {
  if (!place.allowed) return { preview: `Change ${place.path}` };
  try {
    const before = await readWhole(place.path, context.settings.maxFileBytes);
    const text = before === null ? null : decode(before.bytes);
    const made = make(text);
    if (made.status === "refused") {
      return { preview: `Change ${shown(place.subject)}: ${made.message}` };
    }
    const diff = makeDiff({ path: shown(place.subject), before: text, after: made.text });
    return previewDiff(diff);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { preview: `Change ${shown(place.subject)}: ${reason}` };
  }
}

/** Decodes a file for editing. Throws if encoding the text again would not give the same bytes. */
function decode(bytes: Buffer): string {
  if (bytes.includes(0)) throw new FileProblem("it is a binary file");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FileProblem("it is not UTF-8 text");
  }
}
