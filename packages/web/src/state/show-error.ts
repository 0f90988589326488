import { HoldfastError } from "@holdfast/sdk";
import { t } from "../i18n/text.ts";
import { checkSignIn, isSignedOut } from "./feed.ts";
import { showToast } from "./toasts.ts";

/** Shows an error as a toast, with the server's message if there is one. An expired sign-in leads to the sign-in page. */
export function showError(error: unknown): void {
  if (isSignedOut(error)) return checkSignIn();
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof HoldfastError ? error.code : null;
  const about = `error ${code} ${message}`;
  showToast(() => t().errors.failed({ code, message }), { tone: "bad", about });
}

/** Runs an action of the user. Shows errors as a toast instead of throwing them. */
export async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    showError(error);
  }
}
