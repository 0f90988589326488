import type { Finish, HeardFile, ModelCall, ReplyUsage, SpokenPart } from "./script.ts";

/** Wire format of a provider for calls and answers. */
export interface Protocol {
  readonly name: "openaiChat" | "openaiResponses" | "anthropic" | "google" | "bedrock";
  readonly path: RegExp;
  /** Media type of an answer. Default: server-sent events. */
  readonly contentType?: string;
  read(body: unknown, path: string): Pick<ModelCall, "model" | "system" | "messages" | "tools">;
  error(error: { status: number; message: string; code: string | null }): object;
  /** Starts a streamed answer. Each method of the stream returns the frames to send. */
  open(call: ModelCall): ReplyStream;
}

export interface ReplyStream {
  begin(): readonly Frame[];
  part(part: SpokenPart): readonly Frame[];
  end(end: { finish: Finish; usage: ReplyUsage }): readonly Frame[];
}

export type Frame = string | Uint8Array;

export function dataFrame(data: object | string): string {
  return `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

export function eventFrame(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

/** Returns the arguments of a call as sent on the wire: text that may be invalid JSON. */
export function argumentsOf(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

export type Fields = Readonly<Record<string, unknown>>;

/** Reads a value as an object. Requests come from the clients under test, so their shape is not trusted. */
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

/** A file in a data URL, as most protocols send it. */
export function fileOfDataUrl(url: unknown, name: unknown = null): HeardFile {
  const [, mediaType = "", content = ""] = /^data:([^;]*);base64,(.*)$/s.exec(text(url)) ?? [];
  return { mediaType, content, name: typeof name === "string" ? name : null };
}
