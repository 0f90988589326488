export { runTerminal } from "./run-terminal.ts";
export type { ConnectionEvents, Opened, TerminalOptions } from "./run-terminal.ts";
