// What those above the runner need to know of directories: why one cannot be loaded.

export { WorkspaceError } from "../workspace/loader.ts";
