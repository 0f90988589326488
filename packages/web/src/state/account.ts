import type { Me } from "@holdfast/sdk";
import { createSignal } from "solid-js";
import { holdfast } from "./client.ts";

const [me, setMe] = createSignal<Me | null>(null);
/** Who this browser is to the server; null until it is known. */
export const account = me;

export async function loadAccount(): Promise<void> {
  setMe(await holdfast.me());
}

/** Whether prompts may be sent from here, and asks answered. */
export function mayPrompt(): boolean {
  return me()?.role !== "observe";
}

export function isAdmin(): boolean {
  return me()?.role === "admin";
}
