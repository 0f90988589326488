import type { Me } from "@holdfast/sdk";
import { createSignal } from "solid-js";
import { holdfast } from "./client.ts";

const [me, setMe] = createSignal<Me | null>(null);
/** Who this browser is to the server; null until it is known. */
export const account = me;

export async function loadAccount(): Promise<void> {
  setMe(await holdfast.me());
}

/** Whether prompts may be sent and runs stopped from here. */
export function mayPrompt(): boolean {
  return me()?.role !== "observe";
}

/** Whether asks may be answered from here, and queues, holds and sessions changed. */
export function mayDecide(): boolean {
  return mayPrompt() && me()?.role !== "propose";
}

export function isAdmin(): boolean {
  return me()?.role === "admin";
}
