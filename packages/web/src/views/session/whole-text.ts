import { createSignal } from "solid-js";
import type { Accessor } from "solid-js";
import { holdfast } from "../../state/client.ts";
import { showError } from "../../state/show-error.ts";
import { useSession } from "./session-context.ts";

export interface WholeText {
  /** The text from the stream, or the whole text after it is loaded. */
  readonly text: Accessor<string>;
  /** Loads the whole text; undefined if it is already loaded. */
  readonly load: Accessor<(() => Promise<string>) | undefined>;
}

/** A text that the stream may have cut. `cutAt`: seq of the event with the whole text; null if the text is complete. */
export function wholeText(cutAt: Accessor<number | null>, brought: Accessor<string>): WholeText {
  return wholeContent({ cutAt, brought, read: textOf });
}

function wholeContent(options: {
  cutAt: Accessor<number | null>;
  brought: Accessor<string>;
  read: (content: unknown) => string | null;
}): WholeText {
  const { cutAt, brought, read } = options;
  const { sessionId } = useSession();
  const [whole, setWhole] = createSignal<string | null>(null);
  const load = async (seq: number): Promise<string> => {
    try {
      const { content } = await holdfast.session(sessionId).event(seq);
      return setWhole(read(content) ?? brought());
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

/** The diff of a tool call. The stream may have cut it. */
export function wholeDiff(cutAt: Accessor<number | null>, brought: Accessor<string>): WholeText {
  return wholeContent({ cutAt, brought, read: diffOf });
}

function diffOf(content: unknown): string | null {
  const extra = fieldOf(content, "extra");
  const diff = fieldOf(extra, "diff");
  return typeof diff === "string" ? diff : null;
}

function fieldOf(value: unknown, name: string): unknown {
  const fields = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return fields.find(([key]) => key === name)?.[1];
}

function textOf(content: unknown): string | null {
  if (typeof content !== "object" || content === null) return null;
  if ("output" in content) return String(content.output);
  return "text" in content ? String(content.text) : null;
}
