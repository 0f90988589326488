import { count } from "./plural.ts";

/** Strings for the list of changed files. */
export const changes = {
  changes: {
    title: "File changes",
    hide: "Back to the conversation",
    review: "Review file changes",
    label: "Changed files",
    scope: "Show changes from",
    wholeSession: "The whole session",
    run: (values: { text: string }) => `Run: ${values.text}`,
    files: (values: { files: number }) => count(values.files, "file", "files"),
    atLeast: "at least",
    partial: "The lines of some files are not counted.",
    none: "No file changes are recorded.",
    failed: "The file changes could not be loaded.",
    retry: "Try again",
    view: "View",
    unified: "Unified",
    split: "Split",
    status: { created: "created", changed: "changed", deleted: "deleted", renamed: "renamed" },
    renamedFrom: (values: { path: string }) => `renamed from ${values.path}`,
    binary: "This file is not text, so there is no diff.",
    sizes: (values: { before: string; after: string }) =>
      `File size before the change: ${values.before}. File size after the change: ${values.after}.`,
    noFile: "no file",
    noDiff: "The content is the same.",
    others: {
      during:
        "Something else, such as a command or an editor, also changed this file. The diff includes these changes.",
      since: "This file was changed again later.",
    },
    problem: (values: { message: string }) => `The file cannot be read: ${values.message}`,
    omitted: (values: { files: number }) =>
      `${count(values.files, "more changed file is", "more changed files are")} not listed`,
    commands: "Commands",
    commandsHint:
      "Holdfast does not record which files a command changes. Files that changed while a command ran are listed below it. They have no diff here, and Undo does not restore them.",
    commandFiles: (values: { files: number }) =>
      values.files === 0 ? "no changed files found" : count(values.files, "file", "files"),
    background: "Background sessions list their own changes:",
    moreContext: "Show more unchanged lines",
    wholeFile: "Show the whole file",
    comments: {
      label: "Comment",
      placeholder: "This comment goes into your next prompt",
      add: "Add comment",
      remove: "Delete comment",
      removeAt: (values: { place: string }) => `Delete the comment on ${values.place}`,
      chips: "Comments that go into your next prompt",
      removedLine: "removed line",
    },
    openIn: (values: { editor: string }) => `Open in ${values.editor}`,
    chooseEditor: "Open in an editor…",
    undoFile: (values: { path: string }) => `Undo changes to ${values.path}`,
    undoRun: "Undo this run",
    undo: {
      title: "Undo the changes to this file?",
      deletes: "The file did not exist before. It will be deleted.",
      restoresRun: "The file will be restored to its content before the run.",
      restoresSession: "The file will be restored to its content before the session.",
      runs: (values: { runs: number }) =>
        `${count(values.runs, "run", "runs")} changed this file. All of these changes will be undone.`,
      others:
        "Something else, such as a command or a later run, also changed this file. These changes will be lost.",
      waits: "A run is in progress. The undo starts when the run has ended.",
      confirm: "Undo",
      confirmOthers: "Undo and discard other changes",
      done: (values: { path: string }) => `Changes to ${values.path} undone`,
    },
  },
};
