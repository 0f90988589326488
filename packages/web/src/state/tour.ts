import { t } from "../i18n/text.ts";
import { holdfast } from "./client.ts";
import { sendPrompt } from "./outbox.ts";
import { go } from "./router.ts";
import { attempt } from "./show-error.ts";

const prefix = "tour-";

/** Whether `startTour` created the session. The session id shows this, so that the guide appears in every browser. */
export function isTour(sessionId: string): boolean {
  return sessionId.startsWith(prefix);
}

/**
 * Creates a session in which the demo agent works on three prompts. The first run crashes on purpose and is resumed.
 * The agent changes no files. `stepsBeforeCrash` must be the number of lines of the script up to and including `crash
 * run`.
 */
export async function startTour(directory: string): Promise<void> {
  await attempt(async () => {
    const { title, words } = t().tour;
    const bytes = crypto.getRandomValues(new Uint8Array(9));
    const sessionId =
      prefix + [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    await holdfast.sessions.create({ sessionId, directory, title });
    const script = [
      `say ${words.begin} very slowly`,
      "tool edit notes.md",
      `say ${words.before} very slowly`,
      "crash run for 7s",
      `say ${words.after} very slowly`,
    ];
    const texts = [
      script.join("\n"),
      `say ${words.second} very slowly`,
      `say ${words.third} very slowly`,
    ];
    for (const text of texts) {
      await sendPrompt({
        sessionId,
        text,
        delivery: "queue",
        attachments: [],
        options: { agent: "demo" },
      });
    }
    go({ page: "session", sessionId });
  });
}
