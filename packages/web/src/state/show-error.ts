import { HoldfastError } from "@holdfast/sdk";
import { t } from "../i18n/text.ts";
import { showToast } from "./toasts.ts";

/** Tells what went wrong, in the server's words where it has some. */
export function showError(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof HoldfastError ? error.code : null;
  const about = `error ${code} ${message}`;
  showToast(() => t().errors.failed({ code, message }), { tone: "bad", about });
}

/** Runs what a person has asked for; what goes wrong is shown and ends there. */
export async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    showError(error);
  }
}
