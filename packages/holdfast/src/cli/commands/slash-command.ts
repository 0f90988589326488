/** A prompt that stands for a longer one, which the directory has under this name. */
export interface SlashCommand {
  readonly name: string;
  readonly arguments: string;
}

/** `/name` with what stands after it; null for other words, also for a path such as /etc/hosts. */
export function readSlashCommand(text: string): SlashCommand | null {
  const match = /^\/([^\s/]+)(?:\s+(.*))?$/s.exec(text);
  if (match === null) return null;
  const [, name = "", rest = ""] = match;
  return { name, arguments: rest };
}
