import { createSignal } from "solid-js";

export type Overlay = "palette" | "search" | "help";

/** The overlay that is open. */
export const [overlay, setOverlay] = createSignal<Overlay | null>(null);

/** Closes this overlay, unless another one has replaced it meanwhile. */
export function closeOverlay(name: Overlay): void {
  setOverlay((current) => (current === name ? null : current));
}
