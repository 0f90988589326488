import { hash } from "node:crypto";
import type { Body } from "./store.ts";

/** Computes the hash under which content is stored. Equal content is stored once. */
export function makeBody(content: string | Uint8Array): Body {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return { hash: hash("sha256", bytes), content: bytes };
}
