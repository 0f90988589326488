import type { SessionMode } from "@holdfast/sdk";
import { t } from "../i18n/text.ts";
import { holdfast } from "./client.ts";
import { putSession } from "./sessions.ts";
import { attempt } from "./show-error.ts";
import { showToast } from "./toasts.ts";

export const sessionModes: readonly SessionMode[] = ["ask", "acceptEdits", "plan"];

/** Finds the mode that a user typed, such as "plan" or "accept edits". Null if there is no such mode. */
export function modeNamed(typed: string): SessionMode | null {
  const name = typed.toLowerCase().replace(/[\s-]/g, "");
  return sessionModes.find((mode) => mode.toLowerCase() === name) ?? null;
}

/** Sets the permission mode of a session. The server stores the mode, so that all clients show the same one. */
export async function setSessionMode(sessionId: string, mode: SessionMode): Promise<void> {
  await attempt(async () => {
    putSession(await holdfast.session(sessionId).setMode(mode));
    showToast(() => t().modes.chosen[mode], { about: `mode ${sessionId}` });
  });
}
