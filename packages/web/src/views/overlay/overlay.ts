import { createSignal } from "solid-js";

/** What lies above the page. */
export const [overlay, setOverlay] = createSignal<"palette" | "help" | null>(null);
