import { HoldfastError } from "@holdfast/sdk";
import { t } from "../i18n/text.ts";
import { checkSignIn, isSignedOut } from "./feed.ts";
import { showToast } from "./toasts.ts";

/** Returns the text and the code of an error. Chinese texts of frequent codes replace the server's English message. */
export function errorText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return t().errors.failed({ code: error instanceof HoldfastError ? error.code : null, message });
}

/** Shows an error as a toast. An expired sign-in leads to the sign-in page. */
export function showError(error: unknown): void {
  if (isSignedOut(error)) return checkSignIn();
  showToast(() => errorText(error), { tone: "bad", about: `error ${errorText(error)}` });
}

/** Runs an action of the user. Shows errors as a toast instead of throwing them. */
export async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    showError(error);
  }
}
