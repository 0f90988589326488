import type { Finish, HeardFile, ModelCall, ReplyUsage, SpokenPart } from "./script.ts";

/** A provider's way to put a call and its answer on the wire. */
export interface Protocol {
  readonly name: "openaiChat" | "openaiResponses" | "anthropic" | "google";
  readonly path: RegExp;
  read(body: unknown, path: string): Pick<ModelCall, "model" | "system" | "messages" | "tools">;
  error(error: { status: number; message: string; code: string | null }): object;
  /** One streamed answer; each step gives the frames to send. */
  open(call: ModelCall): ReplyStream;
}

export interface ReplyStream {
  begin(): readonly string[];
  part(part: SpokenPart): readonly string[];
  end(end: { finish: Finish; usage: ReplyUsage }): readonly string[];
}

export function dataFrame(data: object | string): string {
  return `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

export function eventFrame(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

/** Arguments as the protocols carry them: text, which need not be JSON. */
export function argumentsOf(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

export type Fields = Readonly<Record<string, unknown>>;

/** Requests come from clients under test: read what is there, take nothing for granted. */
export function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  if (typeof value === "string") return value;
  return list(value)
    .map((part) => {
      const { text: own, content, output } = fields(part);
      return text(own ?? content ?? output ?? "");
    })
    .join("");
}

/** A file as most protocols carry it: in the address itself. */
export function fileOfDataUrl(url: unknown, name: unknown = null): HeardFile {
  const [, mediaType = "", content = ""] = /^data:([^;]*);base64,(.*)$/s.exec(text(url)) ?? [];
  return { mediaType, content, name: typeof name === "string" ? name : null };
}
