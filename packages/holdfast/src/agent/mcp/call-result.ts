import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { capText } from "../tools/cap.ts";
import { completed, failed } from "../tools/result.ts";
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
  const texts = content.map(contentText);
  // Servers that give both usually give the same twice.
  const isUntold = texts.length === 0 && structuredContent !== undefined;
  const whole = isUntold ? JSON.stringify(structuredContent, null, 2) : texts.join("\n");
  const { text, truncated } = capText(stripVTControlCharacters(whole), maxOutput);
  const output = text === "" ? "(empty)" : text;
  const extra = truncated ? { truncated } : undefined;
  return isError === true ? failed(output, extra) : completed(output, extra);
}

const textPart = z.object({ text: z.string() });
const dataPart = z.object({ data: z.string(), mimeType: z.string().catch("of no type") });
const linkPart = z.object({ uri: z.string(), name: z.string().catch("") });
const resourcePart = z.object({ resource: z.unknown() });

function contentText(part: unknown): string {
  const type = z.object({ type: z.string() }).safeParse(part).data?.type ?? "";
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
  return Math.floor((base64.length * 3) / 4);
}
