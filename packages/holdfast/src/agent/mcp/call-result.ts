import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import type { ShownFile } from "../agent.ts";
import { describeBinary } from "../tools/binary.ts";
import { capText } from "../tools/cap.ts";
import { completed, failed } from "../tools/result.ts";
import { maxImageBytes } from "../tools/tool.ts";
import type { ToolResult } from "../tools/tool.ts";
import { brief } from "./wire.ts";

/** What a server answers to a call; each piece of it is looked at by itself. */
export const callResultSchema = z.object({
  content: z.array(z.unknown()).optional().catch(undefined),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
});

export function toToolResult(
  { content = [], structuredContent, isError }: z.infer<typeof callResultSchema>,
  maxOutput: number,
): ToolResult {
  const pieces = content.map(pieceOf);
  const files = pieces.flatMap(({ file }) => file ?? []).slice(0, mostFiles);
  const texts = pieces.map(({ text, file }) =>
    file === null || files.includes(file) ? text : `${text} [not shown: there are too many]`,
  );
  // Servers that give both usually give the same twice.
  const isUntold = texts.length === 0 && structuredContent !== undefined;
  const whole = isUntold ? JSON.stringify(structuredContent, null, 2) : texts.join("\n");
  const { text, truncated } = capText(stripVTControlCharacters(whole), maxOutput);
  const output = text === "" ? "(empty)" : text;
  const extra = truncated ? { truncated } : undefined;
  if (isError === true) return failed(output, extra);
  const result = completed(output, extra);
  return files.length === 0 ? result : { ...result, files };
}

/** So many images of one result are shown. */
const mostFiles = 8;

interface Piece {
  readonly text: string;
  /** What the model sees besides. */
  readonly file: ShownFile | null;
}

const textPart = z.object({ text: z.string() });
const dataPart = z.object({ data: z.string(), mimeType: z.string().catch("of no type") });
const linkPart = z.object({ uri: z.string(), name: z.string().catch("") });
const resourcePart = z.object({ resource: z.unknown() });

function pieceOf(part: unknown): Piece {
  const { data, mimeType } = dataPart.safeParse(part).data ?? { data: "", mimeType: "" };
  const isImage = typeOf(part) === "image";
  const file = isImage ? imageOf(data) : null;
  if (file === null) return { text: contentText(part), file };
  return { text: `[image, ${brief(mimeType, 100)}, ${file.content.length} bytes]`, file };
}

/** By its content, whatever the server calls it; null for what cannot be shown. */
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
      return `[${type}, ${brief(mimeType, 100)}, ${bytesOf(data)} bytes: it cannot be shown here]`;
    }
    case "resource_link": {
      const { uri = "", name = "" } = linkPart.safeParse(part).data ?? {};
      return `[resource ${brief(uri, 500)}${name === "" ? "" : `: ${brief(name)}`}]`;
    }
    case "resource":
      return resourceText(resourcePart.safeParse(part).data?.resource);
    default:
      return `[${brief(type, 100) || "something"}: it cannot be shown here]`;
  }
}

/** The content of a resource: its text, or what it is. */
export function resourceText(resource: unknown): string {
  const text = textPart.safeParse(resource).data;
  if (text !== undefined) return text.text;
  const blob = z.object({ blob: z.string(), mimeType: z.string().catch("of no type") });
  const { blob: data = "", mimeType = "of no type" } = blob.safeParse(resource).data ?? {};
  return `[${brief(mimeType, 100)}, ${bytesOf(data)} bytes: it cannot be shown here]`;
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}
