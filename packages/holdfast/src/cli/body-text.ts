import type { LaneEvent, StoreReader } from "../main.ts";

/** An event's body as it was stored; null when it has none. */
export async function readContent(reader: StoreReader, event: LaneEvent): Promise<unknown> {
  const hash = "body" in event ? event.body : null;
  return hash === null ? null : readJson(reader, hash);
}

/** A text of a stored body, under one of the names that bodies have for it. */
export async function readText(reader: StoreReader, hash: string | null): Promise<string> {
  const content = hash === null ? null : await readJson(reader, hash);
  return textOf(content, "text") ?? textOf(content, "output") ?? textOf(content, "question") ?? "";
}

export function textOf(content: unknown, name: string): string | null {
  if (typeof content !== "object" || content === null) return null;
  const value = Object.entries(content).find(([key]) => key === name)?.[1];
  return typeof value === "string" ? value : null;
}

async function readJson(reader: StoreReader, hash: string): Promise<unknown> {
  const bytes = await reader.body(hash);
  return bytes === null ? null : JSON.parse(new TextDecoder().decode(bytes));
}
