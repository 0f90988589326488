import { createSignal } from "solid-js";

/** The overlay that is open. */
export const [overlay, setOverlay] = createSignal<"palette" | "help" | null>(null);
