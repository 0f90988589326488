/** What an ask is about, as its extra says. */
export interface AskSubject {
  readonly kind: "permission" | "question";
  readonly action: string | null;
  readonly subject: string | null;
  /** A diff or a command, as it would be done. */
  readonly preview: string | null;
  /** What an answer that is to be remembered would allow, in words. */
  readonly remembers: string | null;
  readonly choices: readonly string[];
}

export function askSubject(extra: unknown): AskSubject {
  const fields = fieldsOf(extra);
  const permission = fieldsOf(fields["permission"]);
  const choices: unknown = fields["choices"];
  return {
    kind: "kind" in fields && fields["kind"] === "question" ? "question" : "permission",
    action: textOf(permission["action"]),
    subject: textOf(permission["subject"]),
    preview: textOf(permission["preview"]),
    remembers: ruleText(fields["remembers"]),
    choices: Array.isArray(choices) ? choices.filter((each) => typeof each === "string") : [],
  };
}

function ruleText(rule: unknown): string | null {
  if (typeof rule === "string") return rule;
  const fields = fieldsOf(rule);
  const parts = [textOf(fields["action"]), textOf(fields["pattern"]) ?? textOf(fields["subject"])];
  const text = parts.filter((part) => part !== null).join(" ");
  return text === "" ? null : text;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
