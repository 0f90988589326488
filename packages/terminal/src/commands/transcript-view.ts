import type { Client } from "../client.ts";
import { createTranscript } from "../transcript/transcript.ts";

/**
 * Ctrl-O: shows the whole session with full outputs, diffs and reasoning. If an ask is open, shows its whole preview.
 */
export function openTranscript(client: Client): void {
  const { view } = client;
  if (view === null) return client.say("There is no session yet: send a prompt first");
  const options = client.transcriptOptions(true);
  client.page({
    title: view.detail?.title ?? "Session",
    isAtEnd: true,
    lines: (columns) => {
      const lines = createTranscript().next(view.conversation, view.inFlight, {
        ...options,
        columns,
      });
      return [...lines, ...askPreview(client, columns)];
    },
  });
}

function askPreview({ asking: { dialog }, look }: Client, columns: number): readonly string[] {
  if (dialog === null) return [];
  return dialog.wholeRows({ look, columns });
}
