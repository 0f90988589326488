/** Remarks about a turn of a hosted agent, which is recorded as a call named `agent`. */
export interface HostedNote {
  /**
   * The reason why a new session of the agent starts with the transcript: the agent lost its session, or the
   * conversation is a copy. A text: another remark, as the server wrote it. Null: none.
   */
  readonly note: "lost" | "copied" | { readonly text: string } | null;
  /** Text that the agent wrote between the turns, without a prompt; null: none. */
  readonly meanwhile: string | null;
}

export function hostedNote({ name, input }: { name: string; input: unknown }): HostedNote {
  const isTurn = name === "agent" && typeof input === "object" && input !== null;
  const fields: Partial<Record<string, unknown>> = isTurn ? { ...input } : {};
  const { note, meanwhile } = fields;
  return { note: noteOf(note), meanwhile: textOf(meanwhile) };
}

/** Returns the remarks in English, one in each line. */
export function hostedNoteLines({ note, meanwhile }: HostedNote): readonly string[] {
  const first = note === null ? [] : [typeof note === "string" ? words[note] : note.text];
  return meanwhile === null
    ? first
    : [...first, `Between the turns, the agent wrote: ${meanwhile}`];
}

const words = {
  lost: "The agent lost its session. A new one starts with the transcript.",
  copied:
    "This conversation is a copy. The agent has started a new session of its own, which begins with the transcript.",
} as const;

function noteOf(note: unknown): HostedNote["note"] {
  const text = textOf(note);
  if (text === null) return null;
  if (text.includes("lost its session")) return "lost";
  return text.includes("is a copy") ? "copied" : { text };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
