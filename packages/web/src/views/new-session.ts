import type { SessionMode } from "@holdfast/sdk";
import { createEffect, createMemo, createSignal, on, onCleanup } from "solid-js";
import { t } from "../i18n/text.ts";
import { holdfast } from "../state/client.ts";
import { addToDraft, rememberPrompt } from "../state/drafts.ts";
import { createStartFolder, knownDirectories } from "../state/known-directories.ts";
import { sendPrompt } from "../state/outbox.ts";
import { go } from "../state/router.ts";
import { attempt } from "../state/show-error.ts";
import { readStored, writeStored } from "../state/storage.ts";
import { showToast } from "../state/toasts.ts";
import { workspaceChoices } from "../state/workspace.ts";
import { createPromptText } from "./composer/prompt-field.tsx";
import { chosenOptions, hostedAgent, runChoiceOf, usualChoice } from "./composer/run-choice.tsx";
import { parseCommand, sentCommands } from "./composer/slash-commands.ts";
import { createUploads } from "./composer/uploads.tsx";

/** Name under which the draft for a new session is stored. */
const draft = "new";

/** Milliseconds between the last key in the directory field and the request for the agents of the directory. */
const loadDelay = 300;

export type NewSession = ReturnType<typeof createNewSession>;

/** State of the form for a session that does not exist yet: its directory, its settings and its first prompt. */
export function createNewSession() {
  const start = createStartFolder();
  const [typed, setDirectory] = createSignal<string | null>(readStored("directory", null));
  const directory = createMemo((): string => typed() ?? knownDirectories()[0] ?? start() ?? "");
  /** While the user types a prompt, keeps the directory, even if a session in another directory becomes the latest. */
  const keepDirectory = (): void => {
    if (typed() === null && directory() !== "") setDirectory(directory());
  };

  const [loaded, setLoaded] = createSignal<string | null>(null);
  createEffect(
    on(directory, (path) => {
      const timer = setTimeout(() => setLoaded(path === "" ? null : path), loadDelay);
      onCleanup(() => clearTimeout(timer));
    }),
  );
  const choices = workspaceChoices(loaded);
  const [agent, setAgent] = createSignal<string | null>(null);
  // Another directory may not have the agent.
  createEffect(on(loaded, () => setAgent(null), { defer: true }));
  const hosted = () => hostedAgent(choices().workspace, agent());
  const [mode, setMode] = createSignal<SessionMode>("ask");
  const [runChoice, setRunChoice] = runChoiceOf(draft);

  const uploads = createUploads(draft);
  const commands = createMemo(() => sentCommands(choices().workspace, hosted()));
  const prompt = createPromptText({
    draft: () => draft,
    sessionId: () => null,
    directory: loaded,
    commands,
  });

  const [isBusy, setBusy] = createSignal(false);
  const begin = async (): Promise<void> => {
    const sent = prompt.text();
    const words = sent.trim();
    if (directory() === "" || isBusy() || uploads.isBusy()) return;
    const written = parseCommand(words, commands());
    if (written !== null && written.command === null) {
      showToast(() => t().composer.unknownCommand(written), { tone: "bad" });
      return;
    }
    setBusy(true);
    await attempt(async () => {
      const { sessionId } = await holdfast.sessions.create({ directory: directory() });
      const session = holdfast.session(sessionId);
      // Set the mode and the agent before the first prompt, so that they apply to it.
      if (mode() !== "ask") await session.setMode(mode());
      if (agent() !== null) await session.setAgent(agent());
      writeStored("directory", directory());
      const [, keepChoice] = runChoiceOf(sessionId);
      keepChoice(runChoice());
      const attachments = uploads.done().map(({ hash }) => hash);
      const taken = uploads.take();
      if (words !== "" || attachments.length > 0) {
        if (words !== "") rememberPrompt(words);
        // Keep the text if it was changed while the session was created.
        if (prompt.text() === sent) prompt.write("");
        const command = written === null ? {} : { command: named(written) };
        const options = { ...chosenOptions(hosted(), runChoice()), ...command };
        const first = { sessionId, text: words, delivery: "queue", attachments, options } as const;
        const send = async (): Promise<void> => {
          if ((await sendPrompt(first)) !== null) return;
          addToDraft(sessionId, words);
          createUploads(sessionId).putBack(taken);
        };
        void send();
      }
      setRunChoice(usualChoice);
      go({ page: "session", sessionId });
    });
    setBusy(false);
  };
  return {
    directory,
    setDirectory,
    keepDirectory,
    choices,
    hosted,
    agent,
    setAgent,
    mode,
    setMode,
    runChoice,
    setRunChoice,
    uploads,
    prompt,
    isBusy,
    begin,
  };
}

function named({ name, rest }: { name: string; rest: string }) {
  return { name, arguments: rest };
}
