import { startKeeper } from "../keeper.ts";
import { createMark, markName } from "../owner-mark.ts";

let mark: Promise<Readonly<Record<string, string>>> | null = null;

/**
 * Returns the environment variable that marks the sandboxes of this process. A helper shell kills them when this process
 * ends. The option `--die-with-parent` is not enough: bwrap sets its death signals only after it has created its first
 * process, so a sandbox that was just starting would wait forever or run its command.
 */
export function sandboxMark(): Promise<Readonly<Record<string, string>>> {
  mark ??= createMark().then(({ name, value }) => {
    startKeeper(`${name}=${value}`);
    return { [name]: value };
  });
  return mark;
}

/** Shell code that hides the mark from the command. The processes of bwrap keep it. */
export const hideMark = `unset ${markName}; `;
