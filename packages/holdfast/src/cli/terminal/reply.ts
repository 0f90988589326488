/** A person's answer to an ask. */
export interface Reply {
  readonly verdict: "allow" | "deny";
  readonly text?: string;
  /** The same answer is to be given from now on. */
  readonly remember?: "session" | "project";
}

/** A yes or a no with words after it; null for anything else. */
export function readYesOrNo(line: string): Reply | null {
  const match = /^(y|yes|n|no)\b[\s,:]*(.*)$/i.exec(line.trim());
  if (match === null) return null;
  const verdict = match[1]?.toLowerCase().startsWith("y") === true ? "allow" : "deny";
  const text = match[2] ?? "";
  return text === "" ? { verdict } : { verdict, text };
}

/** An open question takes any words, or the number of a choice; null for none at all. */
export function readQuestionReply(
  line: string,
  question: { isOpen: boolean; choices: readonly string[] },
): Reply | null {
  if (!question.isOpen) return readYesOrNo(line);
  const text = line.trim();
  if (text === "") return null;
  const choice = /^\d+$/.test(text) ? question.choices[Number(text) - 1] : undefined;
  return { verdict: "allow", text: choice ?? text };
}
