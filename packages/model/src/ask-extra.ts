/** Details of an ask, read from its `extra` field. */
export interface AskSubject {
  readonly kind: "permission" | "question";
  readonly action: string | null;
  readonly subject: string | null;
  /** The diff or the command that would be carried out. */
  readonly preview: string | null;
  /** The rules that would be saved if the answer is remembered, as text. */
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
    remembers: rulesText(fields["remembers"]),
    choices: Array.isArray(choices) ? choices.filter((each) => typeof each === "string") : [],
  };
}

/** Asks of release 0.1.0 have a single rule. */
function rulesText(remembers: unknown): string | null {
  const rules: readonly unknown[] = Array.isArray(remembers) ? remembers : [remembers];
  const texts = rules.map(ruleText).filter((text) => text !== null);
  return texts.length === 0 ? null : texts.join(", ");
}

function ruleText(rule: unknown): string | null {
  if (typeof rule === "string") return rule;
  const fields = fieldsOf(rule);
  const texts = [textOf(fields["action"]), textOf(fields["pattern"]) ?? textOf(fields["subject"])];
  const text = texts.filter((text) => text !== null).join(" ");
  return text === "" ? null : text;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
