import type { CallStatus } from "@holdfast/model/conversation.ts";
import type { LookCounts } from "@holdfast/model/fold-calls.ts";
import { reasonTexts } from "@holdfast/model/reason-texts.ts";
import { count, promptCounts } from "./plural.ts";

function times(number: number): string {
  if (number === 1) return "once";
  return number === 2 ? "twice" : `${number} times`;
}

/** Strings for the messages, tool calls and notices of a session. */
export const conversation = {
  conversation: {
    label: "Conversation",
    empty: "No messages yet.",
    earlier: "Loading earlier messages…",
    toBottom: "Jump to the latest message",
    you: "You",
    youWith: (values: { client: string }) => `You (${values.client})`,
    sending: "Sending…",
    sendingLost: "Will be sent when the server is back",
    cancelledBeforeStart: "the prompt never started, and the model did not see it",
    takenIn: "joined a run in progress",
    noReply: "no reply requested",
    resultOf: "result from a background session",
    thinking: "Thinking",
    reasoning: "Reasoning",
    summary: "Summary of the conversation so far",
    interrupted: "Interrupted here",
    showWhole: "Show all",
    // `lines` is 0 if the number of hidden lines is unknown, or if only the rest of one long line is hidden.
    showMore: (values: { lines: number }) =>
      values.lines === 0 ? "Show more" : `Show ${count(values.lines, "more line", "more lines")}`,
    showEarlier: (values: { lines: number }) =>
      `Show ${count(values.lines, "earlier line", "earlier lines")}`,
    showLess: "Show less",
    download: "Download",
    attempt: (values: { attempt: number }) => `attempt ${values.attempt}`,
    openChild: "Open child session",
    tokens: (values: { count: string }) => `${values.count} tokens`,
    context: (values: { share: number }) => `context ${values.share} %`,
    forkHere: "Fork from here",
    reportRun: "Save an HTML report of this run",
    revert: "Undo file changes",
    sendAgain: "Send again",
    editAndSend: "Edit and send",
  },
  calls: {
    status: {
      waiting: "waiting",
      running: "running",
      completed: "done",
      failed: "failed",
      denied: "denied",
      interrupted: "interrupted",
      inDoubt: "result unknown",
      cancelled: "cancelled",
    } satisfies Record<CallStatus, string>,
    inDoubtHint:
      "The server process ended while this tool was running. The tool may or may not have taken effect. Holdfast did not run it again.",
    interruptedHint: "The tool was stopped before it returned a result.",
    hosted: {
      lost: "The agent lost its session. A new one starts with the transcript.",
      copied:
        "This conversation is a copy. The agent has started a new session of its own, which begins with the transcript.",
      meanwhile: (values: { text: string }) => `Between the turns, the agent wrote: ${values.text}`,
    },
    input: "Input",
    output: "Output",
    noOutput: "No output",
    looks: ({ read, searched, listed }: LookCounts) => {
      const parts = [
        read === 0 ? "" : `read ${count(read, "file", "files")}`,
        searched === 0 ? "" : `searched ${times(searched)}`,
        listed === 0 ? "" : `listed ${count(listed, "folder", "folders")}`,
      ];
      const text = parts.filter((part) => part !== "").join(", ");
      return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
    },
    checked: "Done",
    unchecked: "Not done",
    todo: (values: { done: number; all: number }) => `${values.done} of ${values.all} done`,
    exitCode: (values: { code: number }) => `exit code ${values.code}`,
  },
  notices: {
    cancelled: (values: { running: number; queued: number; background: number; who: string }) =>
      `${values.who} cancelled ${promptCounts(values)}`,
    ended: {
      completed: "Run completed",
      failed: "Run failed",
      cancelled: "Run cancelled",
    },
    failed: (values: { reason: string }) => `Run failed: ${values.reason}`,
    lacking: (values: { names: string }) => `The run started without ${values.names}`,
    resumed: (values: { attempt: number }) =>
      `The run was interrupted and continued from its last saved step (attempt ${values.attempt})`,
    suspended: "The run was interrupted. Resume the session to continue it.",
    held: (values: { reason: string }) => `Paused: ${values.reason}`,
    released: {
      person: "Session resumed",
      refresh: "Session resumed: the directory was reloaded",
      retryTime: "Session resumed: retrying now",
      newPrompt: "Session resumed by a new prompt",
      runEnded: "Session resumed: the run ended",
      deleted: "Pause ended: the session was deleted",
    },
    workDone: (values: { name: string }) => `Task finished: ${values.name}`,
    workStopped: (values: { name: string }) => `Task stopped: ${values.name}`,
    forkedFrom: "Forked. The messages above are from another session.",
    imported: "Imported. The messages above are from the imported file.",
    deleted: "Session deleted",
  },
  holds: {
    recovery: "the run was interrupted. Resume the session to continue it.",
    person: (values: { reason: string }) => (values.reason === "" ? "by a user" : values.reason),
    retryAt: (values: { time: string }) => `next retry at ${values.time}`,
  },
  reasons: reasonTexts,
  outcome: { completed: "completed", failed: "failed", cancelled: "cancelled" },
  revert: {
    title: "Undo the file changes of this run",
    nothing: "This run changed no files.",
    removes: "will be deleted: this run created the file",
    conflict: (values: { why: string }) => `conflict: ${values.why}`,
    unknown: "This run also did the following, and Holdfast does not know which files changed:",
    overwrite: "Also undo changes to files with conflicts, and overwrite later changes",
    file: (values: { path: string }) => `Undo changes to ${values.path}`,
    more: (values: { files: number }) =>
      `The undo also covers ${count(values.files, "more file", "more files")}.`,
    confirm: "Undo",
    done: "File changes undone",
    stopped: "The undo was stopped. Open this dialog again to see what is left.",
  },
};
