import type { FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { z } from "zod";
import { describeBinary } from "./binary.ts";
import { FileProblem, openRegular, readWhole } from "./files.ts";
import { readPage } from "./line-reader.ts";
import type { Page } from "./line-reader.ts";
import { locate, shown } from "./paths.ts";
import type { FoundPlace } from "./paths.ts";
import { readPermission } from "./read-permission.ts";
import { completed, failed, fileFailure } from "./result.ts";
import { maxImageBytes } from "./tool.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";

const defaultLimit = 2_000;
const maxLineBytes = 2_000;

const input = z.object({
  path: z.string().describe("The file, relative to the session's directory or absolute."),
  offset: z.int().min(1).optional().describe("The first line to read, counted from 1."),
  limit: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe(`Number of lines. Default: ${defaultLimit}.`),
});

type ReadInput = z.infer<typeof input>;

export const readTool: Tool<ReadInput> = {
  name: "read",
  description:
    "Reads a text file or shows an image. Each line starts with its number and a tab, which are not part " +
    "of the file. Long files are returned in pages: continue with offset. A file must be read in this " +
    "session before edit or write can change it. For folders, use list.",
  input,
  example: { path: "src/server.ts", offset: 120, limit: 80 },
  repeatable: true,
  parallel: true,
  permission: ({ path }, context) => readPermission(path, context),
  run: async (request, context) => {
    const place = await locate(request.path, context);
    if (place.status === "refused") return failed(place.message);
    try {
      const handle = await openRegular(place.path);
      try {
        return await readFrom(handle, { request, place, context });
      } finally {
        await handle.close();
      }
    } catch (error) {
      return fileFailure(request.path, error, context.signal);
    }
  },
};

async function readFrom(
  handle: FileHandle,
  options: { request: ReadInput; place: FoundPlace; context: ToolContext },
): Promise<ToolResult> {
  const { request, place, context } = options;
  const { maxFileBytes, maxOutput } = context.settings;
  const { size } = await handle.stat();
  const first = request.offset ?? 1;
  const head = Buffer.alloc(64);
  const { bytesRead } = await handle.read(head, 0, head.length, 0);
  const binary = describeBinary(head.subarray(0, bytesRead));
  if (binary !== null) {
    const what = `${shown(place.subject)} is ${binary.text}, ${size} bytes`;
    if (binary.kind === "image") return readImage(place, what);
    return failed(`${what}. Its content cannot be shown as text.`);
  }
  const page = await readPage(handle, {
    first,
    count: request.limit ?? defaultLimit,
    maxLineBytes,
    maxPageBytes: maxOutput,
    maxHashedBytes: size > maxFileBytes ? 0 : maxFileBytes,
    signal: context.signal,
  });
  if (page.binary) {
    return failed(`${shown(place.subject)} is a binary file of ${size} bytes and cannot be shown.`);
  }
  if (page.lines.length === 0 && page.total !== null && page.total > 0) {
    return failed(`${shown(place.subject)} has ${page.total} lines; there is no line ${first}.`);
  }
  const seen = page.hash === null ? [] : [{ path: place.path, hash: page.hash }];
  const last = page.lines.at(-1)?.number ?? 0;
  const truncated = page.total === null || last < page.total || first > 1;
  return completed(pageText(page), { seen, truncated });
}

/** Returns an image. If the model does not accept images, the agent later replaces it with a note. */
async function readImage(place: FoundPlace, what: string): Promise<ToolResult> {
  const whole = await readWhole(place.path, maxImageBytes).catch((error: unknown) => {
    if (error instanceof FileProblem) return null;
    throw error;
  });
  const mediaType = whole === null ? null : (describeBinary(whole.bytes)?.mediaType ?? null);
  if (whole === null || mediaType === null) {
    return completed(`${what}, too large to show (over ${maxImageBytes} bytes).`);
  }
  const file = { name: basename(place.path), mediaType, content: whole.bytes };
  return { ...completed(`${what}.`), files: [file] };
}

function pageText(page: Page): string {
  const { lines, total, hash } = page;
  if (lines.length === 0) return "(the file is empty)";
  const numbered = lines.map(({ number, text, cut }) => {
    const content = number === 1 ? text.replace(/^\ufeff/, "") : text;
    return `${String(number).padStart(6)}\t${content}${cut ? " [... line cut]" : ""}`;
  });
  const last = lines.at(-1)?.number ?? 0;
  if (total === null || last < total) {
    numbered.push(
      `[lines up to ${last} of ${total ?? "many more"}; continue with offset ${last + 1}]`,
    );
  }
  if (hash === null) numbered.push("[the file is too large to be changed with edit or write]");
  return numbered.join("\n");
}
