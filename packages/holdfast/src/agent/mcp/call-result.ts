import { isDeepStrictEqual, stripVTControlCharacters } from "node:util";
import { z } from "zod";
import type { ShownFile } from "../agent.ts";
import { describeBinary } from "../tools/binary.ts";
import { capText, completed, failed } from "../tools/result.ts";
import { maxImageBytes } from "../tools/tool.ts";
import type { ToolResult } from "../tools/tool.ts";
import { brief } from "./wire.ts";

/** Result of a tool call, as sent by a server. Each content part is validated separately. */
export const callResultSchema = z.object({
  content: z.array(z.unknown()).optional().catch(undefined),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
});

export function toToolResult(
  { content = [], structuredContent, isError }: z.infer<typeof callResultSchema>,
  maxOutput: number,
): ToolResult {
  const structured =
    structuredContent === undefined || content.some((part) => repeats(part, structuredContent))
      ? []
      : [{ text: JSON.stringify(structuredContent, null, 2), file: null }];
  const result = piecesResult([...content.map(pieceOf), ...structured], maxOutput);
  return isError === true ? failed(result.output, result.extra) : result;
}

/** True if a text part repeats the structured content. Servers send both to support older clients. */
function repeats(part: unknown, structuredContent: unknown): boolean {
  const text = typeOf(part) === "text" ? textPart.safeParse(part).data?.text : undefined;
  if (text === undefined || !/^\s*[[{"\dtfn-]/.test(text)) return false;
  try {
    return isDeepStrictEqual(JSON.parse(text), structuredContent);
  } catch {
    return false;
  }
}

/** Joins the pieces of a result and truncates the text to the output limit. */
export function piecesResult(pieces: readonly Piece[], maxOutput: number): ToolResult {
  const files = pieces.flatMap(({ file }) => file ?? []).slice(0, mostFiles);
  const texts = pieces.map(({ text, file }) =>
    file === null || files.includes(file) ? text : `${text} [not shown: too many images]`,
  );
  const { text, truncated } = capText(stripVTControlCharacters(texts.join("\n")), maxOutput);
  const result = completed(text === "" ? "(empty)" : text, truncated ? { truncated } : undefined);
  return files.length === 0 ? result : { ...result, files };
}

/** Maximum number of images per result. */
const mostFiles = 8;

/** A part of an MCP tool call's result, converted for the model. */
export interface Piece {
  readonly text: string;
  /** The image in this part of the tool result; null if the part has no image. */
  readonly file: ShownFile | null;
}

const textPart = z.object({ text: z.string() });
const dataPart = z.object({ data: z.string(), mimeType: z.string().catch("unknown type") });
const linkPart = z.object({ uri: z.string(), name: z.string().catch("") });
const resourcePart = z.object({ resource: z.unknown() });

function pieceOf(part: unknown): Piece {
  const type = typeOf(part);
  if (type === "resource") return resourcePiece(resourcePart.safeParse(part).data?.resource);
  const { data = "", mimeType = "" } = dataPart.safeParse(part).data ?? {};
  const file = type === "image" ? imageOf(data) : null;
  return file === null ? { text: contentText(part), file } : shownPiece(file, mimeType);
}

/**
 * Converts an MCP resource to a part of a tool result. The model gets an image as an image, and other content as text.
 */
export function resourcePiece(resource: unknown): Piece {
  const { blob, mimeType } = blobOf(resource);
  const file = imageOf(blob);
  return file === null ? { text: resourceText(resource), file } : shownPiece(file, mimeType);
}

function shownPiece(file: ShownFile, mimeType: string): Piece {
  return { text: `[image, ${brief(mimeType, 100)}, ${file.content.length} bytes]`, file };
}

/** Detects an image by its content, not by the media type that the server states. Null if it cannot be shown. */
function imageOf(base64: string): ShownFile | null {
  if (bytesOf(base64) > maxImageBytes) return null;
  const content = Buffer.from(base64, "base64");
  const { kind, mediaType = null } = describeBinary(content) ?? {};
  return kind === "image" && mediaType !== null ? { name: null, mediaType, content } : null;
}

function typeOf(part: unknown): string {
  return z.object({ type: z.string() }).safeParse(part).data?.type ?? "";
}

function contentText(part: unknown): string {
  const type = typeOf(part);
  switch (type) {
    case "text":
      return textPart.safeParse(part).data?.text ?? "";
    case "image":
    case "audio": {
      const { data = "", mimeType = "" } = dataPart.safeParse(part).data ?? {};
      return `[${type}, ${brief(mimeType, 100)}, ${bytesOf(data)} bytes, cannot be shown]`;
    }
    case "resource_link": {
      const { uri = "", name = "" } = linkPart.safeParse(part).data ?? {};
      return `[resource ${brief(uri, 500)}${name === "" ? "" : `: ${brief(name)}`}]`;
    }
    default:
      return `[${brief(type, 100) || "unknown content"}: cannot be shown]`;
  }
}

/** Returns the text of a resource, or a description of binary content. */
export function resourceText(resource: unknown): string {
  const text = textPart.safeParse(resource).data;
  if (text !== undefined) return text.text;
  const { blob, mimeType } = blobOf(resource);
  return `[${brief(mimeType, 100)}, ${bytesOf(blob)} bytes, cannot be shown]`;
}

const blobPart = z.object({ blob: z.string(), mimeType: z.string().catch("unknown type") });

function blobOf(resource: unknown): z.infer<typeof blobPart> {
  return blobPart.safeParse(resource).data ?? { blob: "", mimeType: "unknown type" };
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}
