import type { Me } from "@holdfast/sdk";
import { createSignal } from "solid-js";
import { holdfast } from "./client.ts";

const [me, setMe] = createSignal<Me | null>(null);
/** The token that this browser is signed in with; null until loaded. */
export const account = me;

export async function loadAccount(): Promise<void> {
  setMe(await holdfast.me());
}

/** Whether this browser may send prompts and stop runs. */
export function mayPrompt(): boolean {
  return me()?.role !== "observe";
}

/** Whether this browser may answer permission requests and questions, and change queues, pauses and sessions. */
export function mayDecide(): boolean {
  return mayPrompt() && me()?.role !== "propose";
}

export function isAdmin(): boolean {
  return me()?.role === "admin";
}
