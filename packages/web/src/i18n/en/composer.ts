import { count, promptCounts } from "./plural.ts";

/** Strings for writing prompts and for the queue. */
export const composer = {
  composer: {
    label: "Prompt",
    placeholder: "Describe the task",
    compact: "Summarize the conversation for the model; add what must be kept",
    placeholderBusy: "Queue a prompt, or steer the run",
    observe: "Read-only: this browser cannot send prompts.",
    send: "Send",
    delivery: "If the session is busy",
    queue: "Queue",
    queueHint: (values: { isActive: boolean; ahead: number }): string => {
      const queued = count(values.ahead, "queued prompt", "queued prompts");
      if (!values.isActive) return values.ahead === 0 ? "Runs next." : `Runs after ${queued}.`;
      return values.ahead === 0
        ? "Runs when the current run ends."
        : `Runs after the current run and ${queued}.`;
    },
    steer: "Steer",
    steerHint: "Joins the current run at its next step, without stopping it.",
    steerIdleHint: "No run is in progress, so the prompt goes into the queue.",
    interrupt: "Interrupt",
    interruptHint: (values: { isActive: boolean; waiting: number }): string => {
      const queued = count(values.waiting, "queued prompt", "queued prompts");
      if (!values.isActive) {
        return values.waiting === 0 ? "Runs next." : `Cancels ${queued} and runs next.`;
      }
      return values.waiting === 0
        ? "Stops the current run, then runs this prompt."
        : `Cancels the current run and ${queued}, then runs this prompt.`;
    },
    heldByPerson: "The session is paused. The prompt runs after the session is resumed.",
    heldByFailure: "A new prompt resumes the session and retries the first prompt in the queue.",
    stop: "Stop",
    stopHint: "Esc",
    attach: "Attach files",
    drop: "Drop files to attach them",
    removeAttachment: (values: { name: string }) => `Remove ${values.name}`,
    uploading: "uploading…",
    tooLarge: (values: { name: string }) =>
      `${values.name} is larger than 20 MB. Attach a smaller file.`,
    commands: "Commands",
    unknownCommand: (values: { name: string }) =>
      `Unknown command: /${values.name}. Type / to list the commands.`,
    unsent: (values: { text: string }) => `Unsent draft: “${values.text}”`,
    agent: "Agent",
    defaultAgent: "default agent",
    agentModel: (values: { agent: string }) => `Model of ${values.agent}`,
    agentMode: (values: { agent: string }) => `Mode of ${values.agent}`,
    effort: "Reasoning effort",
    defaultEffort: "default effort",
    efforts: {
      minimal: "minimal",
      low: "low",
      medium: "medium",
      high: "high",
      xhigh: "very high",
      max: "maximum",
    },
    mentions: "Files and sessions",
    fromDirectory: (values: { source: string }) => `Command from ${values.source}`,
  },
  modes: {
    label: "Permission mode",
    inherited: "Mode of the parent session",
    names: { ask: "Ask", acceptEdits: "Accept edits", plan: "Plan" },
    meanings: {
      ask: "Changes and commands need your permission.",
      acceptEdits:
        "The agent changes files in this directory without asking. Commands still need your permission.",
      plan: "The agent only reads and makes a plan. Changes are refused.",
    },
    chosen: {
      ask: "Mode: Ask. Changes and commands need your permission.",
      acceptEdits:
        "Mode: Accept edits. The agent changes files in this directory without asking. Commands still need your permission.",
      plan: "Mode: Plan. The agent only reads and makes a plan. Changes are refused.",
    },
    unknown: (values: { name: string }) =>
      `Unknown mode: ${values.name}. The modes are ask, accept edits and plan.`,
  },
  commands: {
    mode: "Choose the permission mode: ask, accept edits or plan",
    new: "Start a new session in this directory",
    rename: "Rename this session",
    fork: "Fork this session",
    archive: "Archive this session",
    cancel: "Cancel the current run and the queue",
    clear: "Clear the queue and keep the current run",
    hold: "Pause this session",
    release: "Resume this session",
    timeline: "Show the timeline of this session",
    help: "Show keyboard shortcuts",
  },
  queue: {
    title: "Queue",
    label: "Queued prompts",
    clear: "Clear",
    steering: "joins the current run at its next step",
    edit: "Edit",
    withdraw: "Withdraw",
    promote: "Run now and stop the current run",
    up: "Move up",
    down: "Move down",
    drag: "Drag to reorder, or press Alt and an arrow key",
    moved: (values: { place: number }) => `Moved to position ${values.place}`,
    withdrawn: "Prompt withdrawn",
    saved: "Prompt changed",
    started: "Too late to change: the prompt has already started",
    startedMeanwhile: "This prompt started before your change was saved. It ran with its old text.",
    discard: "Discard changes",
    sendAsNew: "Send as a new prompt",
    work: "Task",
    more: (values: { count: number }) => `Show ${values.count} more in the queue`,
  },
  cancel: {
    done: (values: { running: number; queued: number; background: number }) =>
      `Cancelled ${promptCounts(values)}`,
    nothing: "No prompt is running or queued",
    stopped: (values: { queued: number }) =>
      values.queued === 0
        ? "Cancelled the current run"
        : `Cancelled the current run. ${count(values.queued, "queued prompt stays", "queued prompts stay")} in the queue.`,
    nothingRuns: (values: { queued: number }) =>
      values.queued === 0
        ? "No run to stop"
        : `No run to stop. ${count(values.queued, "prompt waits", "prompts wait")} in the queue.`,
    putBack: "Put back in the queue",
    background: (values: { count: number }) =>
      `Also stop ${count(values.count, "background prompt", "background prompts")}`,
    cleared: (values: { queued: number }) =>
      values.queued === 0
        ? "The queue is already empty"
        : `Withdrew ${count(values.queued, "prompt", "prompts")} from the queue`,
  },
};
