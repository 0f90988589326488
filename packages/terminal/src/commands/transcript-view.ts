import type { Conversation } from "@holdfast/model/conversation.ts";
import type { Client } from "../client.ts";
import type { AskDialog } from "../panels/ask-dialog.ts";
import { wrap } from "../screen/text.ts";
import { createTranscript } from "../transcript/transcript.ts";

/**
 * Ctrl-O: shows the whole session with full outputs, diffs and reasoning. If an ask is open, shows the whole request
 * after the session.
 */
export async function openTranscript(client: Client): Promise<void> {
  const { view, look } = client;
  if (view === null) return client.say("There is no session yet: send a prompt first");
  client.say("Loading the session…");
  const [whole] = await Promise.all([view.whole().catch(() => null), loadPreview(client)]);
  if (client.overlay !== null || client.view !== view) return undefined;
  client.hint = null;
  const { dialog } = client.asking;
  const session = (columns: number): readonly string[] => [
    ...(whole === null ? wrap(cutNote, columns).map((row) => look.warn(row)) : []),
    ...linesOf(client, whole ?? view.conversation, columns),
  ];
  return client.page({
    title: view.detail?.title ?? "Session",
    isAtEnd: true,
    lines: (columns) => [...session(columns), ...(dialog?.wholeRows({ look, columns }) ?? [])],
    ...(dialog === null ? {} : { top: (columns: number) => session(columns).length }),
    onEnd: () => dialog?.markSeen(),
  });
}

const cutNote =
  "The session could not be loaded. Earlier messages are missing here, and long texts may be cut. Press q, then Ctrl-O to try again.";

function linesOf(client: Client, conversation: Conversation, columns: number): readonly string[] {
  const options = { ...client.transcriptOptions(true), columns };
  return createTranscript().next(conversation, client.view?.inFlight ?? null, options);
}

/** Shows a whole permission request. Only after its last line was shown can a key allow it. */
export async function openAsk(client: Client, dialog: AskDialog): Promise<void> {
  const { look } = client;
  await loadPreview(client);
  if (client.overlay !== null || client.asking.dialog !== dialog) return;
  client.page({
    title: "Permission request",
    isAtEnd: false,
    lines: (columns) => dialog.wholeRows({ look, columns }),
    onEnd: () => dialog.markSeen(),
  });
}

/** Loads the whole diff or command of the open ask if the server has sent only its beginning. */
async function loadPreview({ asking: { dialog }, holdfast }: Client): Promise<void> {
  if (dialog === null || holdfast === null || !dialog.isCut) return;
  const { sessionId, askId } = dialog.ask;
  // If this fails, the request says how much is missing.
  dialog.wholePreview = await holdfast
    .session(sessionId)
    .askPreview(askId)
    .catch(() => null);
}
