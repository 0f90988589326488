export { runTerminal } from "./run-terminal.ts";
export type { TerminalOptions } from "./run-terminal.ts";
export type { ConnectionEvents, Opened } from "./server-connection.ts";
