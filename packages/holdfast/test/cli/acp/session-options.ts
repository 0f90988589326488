import type { Update } from "./editor.ts";

/** Options of a session, as an editor gets them. */
export interface Opened {
  readonly sessionId: string;
  readonly configOptions?: readonly { readonly id: string; readonly currentValue: string }[];
  readonly modes?: object;
}

const modeChoices = [
  { value: "ask", name: "Ask", description: "Changes and commands need your permission" },
  {
    value: "acceptEdits",
    name: "Accept edits",
    description: "Files in the directory change without a question",
  },
  { value: "plan", name: "Plan", description: "The agent reads and plans, and nothing is changed" },
];

export const modeOption = (currentValue: string): object => ({
  type: "select",
  id: "mode",
  name: "Mode",
  description: "Permission mode of the session",
  category: "mode",
  currentValue,
  options: modeChoices,
});

export const modes = (currentModeId: string): object => ({
  currentModeId,
  availableModes: modeChoices.map(({ value, ...words }) => ({ id: value, ...words })),
});

/** True for an update of the options or the mode. */
export const isChoice = ({ sessionUpdate }: Update): boolean => /^c.*_update$/.test(sessionUpdate);
