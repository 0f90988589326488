import { createSignal } from "solid-js";

export type Overlay = "palette" | "search" | "help";

/** The overlay that is open. */
export const [overlay, setOverlay] = createSignal<Overlay | null>(null);
