import { createSignal } from "solid-js";
import type { Accessor } from "solid-js";
import { holdfast } from "../../state/client.ts";
import { showError } from "../../state/show-error.ts";
import { useSession } from "./session-context.ts";

export interface WholeText {
  /** What is to be shown: as much as the stream brought, or all of it once that was asked for. */
  readonly text: Accessor<string>;
  /** Brings all of it; undefined when that is here. */
  readonly load: Accessor<(() => Promise<string>) | undefined>;
}

/** A text that the stream may have cut; `cutAt` is the event that has the whole of it. */
export function wholeText(cutAt: Accessor<number | null>, brought: Accessor<string>): WholeText {
  const { sessionId } = useSession();
  const [whole, setWhole] = createSignal<string | null>(null);
  const load = async (seq: number): Promise<string> => {
    try {
      const { content } = await holdfast.session(sessionId).event(seq);
      return setWhole(textOf(content) ?? brought());
    } catch (error) {
      showError(error);
      throw error;
    }
  };
  return {
    text: () => whole() ?? brought(),
    load: () => {
      const seq = cutAt();
      return seq === null || whole() !== null ? undefined : () => load(seq);
    },
  };
}

function textOf(content: unknown): string | null {
  if (typeof content !== "object" || content === null) return null;
  if ("output" in content) return String(content.output);
  return "text" in content ? String(content.text) : null;
}
