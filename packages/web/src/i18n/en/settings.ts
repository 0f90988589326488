import { count } from "../plural.ts";

/** How the page looks, and what runs work with. */
export const settings = {
  settings: {
    title: "Settings",
    sections: {
      look: "Look",
      providers: "Providers",
      mcp: "MCP servers",
      config: "Config",
      maintenance: "Maintenance",
    },
    theme: "Theme",
    themes: { system: "System", light: "Light", dark: "Dark" },
    language: "Language",
    languages: { en: "English", zh: "中文" },
    notifications: "Notifications",
    notify: "Tell me about asks when I look elsewhere",
    notifyDenied: "The browser does not allow notifications for this page.",
    account: "This browser",
    accountText: (parts: { name: string; role: string }) =>
      `Signed in as ${parts.name} with the role ${parts.role}.`,
  },
  providers: {
    demo: "No model is connected: the demo agent answers.",
    usual: (parts: { model: string }) => `Runs that name no model use ${parts.model}.`,
    status: { connected: "connected", disconnected: "not connected" },
    sources: {
      environment: "from the environment",
      file: "kept by Holdfast",
      config: "from the config",
    },
    name: "Name",
    key: "Key",
    keyHint:
      "It is kept on the server's machine in a file that only its owner can read, and never shown again.",
    address: "Address",
    addressOptional: "Address, if it is not the usual one",
    model: "Model",
    modelOptional: "Model to use by default (optional)",
    connect: "Connect",
    reconnect: "Change",
    connectOther: (parts: { isFirst: boolean }): string =>
      parts.isFirst ? "Connect a provider" : "Connect another provider",
    connectTitle: (parts: { name: string }) =>
      `Connect ${parts.name === "" ? "a provider" : parts.name}`,
    disconnect: "Disconnect",
    test: "Test",
    works: (parts: { name: string; models: number }) =>
      parts.models === 0
        ? `${parts.name} works`
        : `${parts.name} works, with ${count(parts.models, "model", "models")}`,
    fails: (parts: { name: string; problem: string | null }) =>
      `${parts.name} does not work: ${parts.problem ?? "no reason was given"}`,
  },
  workspace: {
    problem: "The last change of the config is not in use",
    mcpFailed: (parts: { names: readonly string[] }) =>
      parts.names.length === 1
        ? `MCP server ${parts.names[0]} failed`
        : `${parts.names.length} MCP servers failed`,
    mcpLate: (parts: { names: readonly string[] }) =>
      parts.names.length === 1
        ? `MCP server ${parts.names[0]} is starting`
        : `${parts.names.length} MCP servers are starting`,
  },
  mcp: {
    none: "No MCP servers are in use in this directory. Those of a project's config count once it is trusted.",
    status: {
      connecting: "starting",
      connected: "connected",
      reconnecting: "reconnecting",
      failed: "failed",
    },
    restart: "Restart",
    server: "Server",
    tools: "Tools",
    stderr: "What it has printed last",
  },
  config: {
    scope: "Which config",
    scopes: { project: "Of a directory", user: "Your own" },
    text: "The config's text",
    missing: "does not exist yet; saving makes it",
    schema: "Schema",
    line: (parts: { line: number; column: number | null }) =>
      parts.column === null ? `line ${parts.line}` : `line ${parts.line}:${parts.column}`,
    trusted: "This project's config may do this on your machine:",
    untrusted:
      "This project's config would do this on your machine. It does not count until you trust it:",
    trust: "Trust it",
    distrust: "Trust it no longer",
  },
  maintenance: {
    what: "A change is in use from the next run on. A run that is at work keeps what it began with, to its end.",
    nothingOpen: "No directory is loaded; the next run loads its own.",
    generation: (parts: { number: number; runs: number }) =>
      parts.runs === 0
        ? `generation ${parts.number}`
        : `generation ${parts.number}, used by ${count(parts.runs, "run", "runs")}`,
    retired: (parts: { number: number; runs: number }) =>
      `generation ${parts.number} is still used by ${count(parts.runs, "run", "runs")}`,
    refresh: "Refresh",
    refreshAll: "Refresh all",
    actions: "Latest changes",
    noActions: "None yet",
    kinds: { refresh: "Refresh", close: "Close" },
    causes: { request: "asked for", config: "config", provider: "provider", mcp: "MCP server" },
    status: { requested: "begun", deferred: "waiting", completed: "done", failed: "failed" },
    waits: "Waits for:",
    force: "Force now",
    done: "Done: in use from the next run on",
    doneBut: (parts: { problem: string }) => `Done, but: ${parts.problem}`,
    deferred: (parts: { count: number }) =>
      `Applies to the next run; the old connection closes after the current ${parts.count === 1 ? "run" : "runs"} (${parts.count} waiting)`,
    failed: (parts: { problem: string }) => `Nothing was changed: ${parts.problem}`,
    ended: "Done: the old connections are closed",
    endedBadly: (parts: { problem: string }) => `The change ended with a problem: ${parts.problem}`,
  },
};
