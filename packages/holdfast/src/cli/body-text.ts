import type { LaneEvent, StoreReader } from "../main.ts";

/** An event's body as it was stored; null when it has none. */
export async function readContent(reader: StoreReader, event: LaneEvent): Promise<unknown> {
  const hash = "body" in event ? event.body : null;
  return readBodyAs<unknown>(reader, hash);
}

/** A text of a stored body, under one of the names that bodies have for it. */
export async function readText(reader: StoreReader, hash: string | null): Promise<string> {
  const content = await readBodyAs<unknown>(reader, hash);
  return textOf(content, "text") ?? textOf(content, "output") ?? textOf(content, "question") ?? "";
}

/** A stored body. The program alone writes them, so their shape is trusted; null when it has none. */
export async function readBodyAs<Content>(
  reader: StoreReader,
  hash: string | null,
): Promise<Content | null> {
  const bytes = hash === null ? null : await reader.body(hash);
  return bytes === null ? null : JSON.parse(new TextDecoder().decode(bytes));
}

export function textOf(content: unknown, name: string): string | null {
  if (typeof content !== "object" || content === null) return null;
  const value = Object.entries(content).find(([key]) => key === name)?.[1];
  return typeof value === "string" ? value : null;
}
