export { runTerminal } from "./run-terminal.ts";
export type { Opened, TerminalOptions } from "./run-terminal.ts";
