import type { SearchHit } from "@holdfast/sdk";
import { createSignal } from "solid-js";

/** The position that the page of a session scrolls to. The log around it is loaded if necessary. */
export interface FocusTarget {
  readonly sessionId: string;
  /** A prompt, or a message that a search has found. */
  readonly at: { readonly promptId: string } | SearchHit;
  /** Id of the call whose card is opened. */
  readonly callId?: string | undefined;
  /** Words to highlight. */
  readonly words?: readonly string[];
}

export const [focusTarget, setFocusTarget] = createSignal<FocusTarget | null>(null);
