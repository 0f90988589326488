import { createSignal } from "solid-js";

/** The place that the page of a session scrolls to. Its part of the log is loaded if necessary. */
export interface FocusTarget {
  readonly sessionId: string;
  /** A prompt, or the seq of an event. */
  readonly at: { readonly promptId: string } | { readonly seq: number };
  /** Call whose card is opened. */
  readonly callId?: string | undefined;
  /** Words to highlight. */
  readonly words?: readonly string[];
}

export const [focusTarget, setFocusTarget] = createSignal<FocusTarget | null>(null);
