import type { ProviderTest } from "@holdfast/sdk";
import { count } from "./plural.ts";

/** Strings for the settings pages. */
export const settings = {
  settings: {
    title: "Settings",
    sections: {
      look: "Appearance",
      notifications: "Notifications",
      access: "Access",
      providers: "Providers",
      mcp: "MCP servers",
      rules: "Remembered rules",
      config: "Config",
      webhooks: "Webhooks",
      maintenance: "Maintenance",
    },
    theme: "Theme",
    themes: { system: "Same as the system", light: "Light", dark: "Dark" },
    language: "Language",
    languages: { en: "English", zh: "中文" },
    notifications: "This page",
    notify: "Notify me while this page is open in the background",
    keyboard: "Keyboard",
    letterKeys: "Use single-key shortcuts, such as Y to allow a request or + to zoom in",
    editor: "Editor that opens changed files",
    editorHint:
      "The list of file changes then has a link that opens each file of the session's directory in this editor. The link works only if the server is on this machine.",
    noEditor: "None",
    account: "This browser",
    accountText: (values: { name: string; role: string }) =>
      `Signed in as ${values.name}. Role: ${values.role}.`,
  },
  providers: {
    demo: "No model is connected, so the demo agent answers.",
    noModel: "No model is connected. Connect a provider to send prompts.",
    defaultModel: (values: { model: string }) => `Default model: ${values.model}`,
    status: {
      connected: "connected",
      stored: "set up, not tested",
      failed: "set up, but the test failed",
      disconnected: "not connected",
    },
    sources: {
      environment: "from an environment variable",
      file: "stored by Holdfast",
      config: "from the config",
    },
    name: "Name",
    key: "API key",
    keyHint:
      "The key is stored on the server, in a file that only the server's user can read. It is not shown again.",
    address: "Address",
    addressOptional: "Address (optional)",
    addressHint: "Not needed for a service that Holdfast knows, such as groq or mistral.",
    model: "Model",
    modelOptional: "Default model (optional)",
    connect: "Connect",
    reconnect: "Change",
    connectOther: (values: { isFirst: boolean }): string =>
      values.isFirst ? "Connect a provider" : "Connect another provider",
    other: "Other server",
    getKey: "Create an API key on the provider's website",
    access: { key: "API key", signIn: "Sign in", address: "Server address" },
    typeCode: "Open this page and enter the code:",
    signingIn: "Waiting for the sign-in…",
    signInRefused: (values: { message: string }) =>
      `The sign-in is not available, but you can connect with a key. ${values.message}`,
    chooseDefault: (values: { name: string }) => `Choose the default model of ${values.name}`,
    connectTitle: (values: { name: string }) =>
      `Connect ${values.name === "" ? "a provider" : values.name}`,
    disconnect: "Disconnect",
    disconnectTitle: (values: { name: string }) => `Disconnect ${values.name}?`,
    disconnectStored:
      "Holdfast deletes the stored API key. Current runs keep using the provider until they end. New runs need another provider.",
    disconnectText:
      "The API key stays where it is configured. Current runs keep using the provider until they end. New runs need another provider.",
    changeTitle: (values: { name: string }) => `Change ${values.name}`,
    keyKept: (values: { key: string }) => `Leave this empty to keep the key ${values.key}.`,
    testing: "Testing the connection…",
    slow: "The provider has not answered yet. You can wait or cancel.",
    testAndConnect: "Test and connect",
    testAndSave: "Test and save",
    saveAnyway: "Save anyway",
    refused: (values: { field: ProviderTest["field"]; problem: string | null }) =>
      values.problem ?? "The provider gave no reason.",
    test: "Test",
    works: (values: { name: string; models: number }) =>
      values.models === 0
        ? `${values.name} works`
        : `${values.name} works and offers ${count(values.models, "model", "models")}`,
    fails: (values: {
      name: string;
      field: ProviderTest["field"];
      problem: string | null;
    }): string => `${values.name} does not work: ${values.problem ?? "no reason given"}`,
  },
  workspace: {
    problem: "The latest config change has an error and is not in use",
    mcpFailed: (values: { names: readonly string[] }) =>
      values.names.length === 1
        ? `MCP server ${values.names[0]} failed`
        : `${values.names.length} MCP servers failed`,
    mcpLate: (values: { names: readonly string[] }) =>
      values.names.length === 1
        ? `MCP server ${values.names[0]} is starting`
        : `${values.names.length} MCP servers are starting`,
  },
  mcp: {
    none: "This directory uses no MCP servers. Servers in a project config are used after you trust the config.",
    status: {
      connecting: "starting",
      connected: "connected",
      reconnecting: "reconnecting",
      failed: "failed",
    },
    restart: "Restart",
    signIn: "Sign in",
    signInTitle: (values: { name: string }) => `Sign in to ${values.name}`,
    openPage: "Open this page and sign in there:",
    pasteHint:
      "If your browser and the server are on different machines, the last page of the sign-in will not load. Copy the address of that page from the address bar and paste it here:",
    lastPage: "Address of the page that did not load",
    finish: "Finish",
    signedIn: (values: { name: string }) => `Signed in to ${values.name}`,
    signInFailed: (values: { name: string; problem: string | null }) =>
      `The sign-in to ${values.name} failed: ${values.problem ?? "no reason given"}`,
    server: "Server",
    tools: "Tools",
    stderr: "Recent error output (stderr)",
  },
  config: {
    scope: "Config file",
    scopes: { project: "Project", user: "User" },
    text: "Config text",
    missing: "does not exist yet. Save to create it.",
    schema: "Show schema",
    discard: "Discard changes",
    plain: "Use a plain text field (better for screen readers)",
    problems: {
      syntax: "This is not valid JSON.",
      unknownKey: (values: { key: string }) => `There is no setting “${values.key}” here.`,
      missingKey: (values: { key: string }) => `The setting “${values.key}” is missing.`,
      wrongType: (values: { type: string }) => `The value must be of type ${values.type}.`,
      notOneOf: (values: { values: string }) => `The value must be one of: ${values.values}.`,
      tooLow: (values: { limit: number }) => `The value must be at least ${values.limit}.`,
      tooHigh: (values: { limit: number }) => `The value must be at most ${values.limit}.`,
      empty: "The value must not be empty.",
      badFormat: "The value is not in the expected format.",
    },
    line: (values: { line: number; column: number | null }) =>
      values.column === null ? `line ${values.line}` : `line ${values.line}:${values.column}`,
    trusted: "You trust this project config. It can do the following on the server's machine:",
    untrusted:
      "This project config would do the following on the server's machine. It has no effect until you trust it:",
    trust: "Trust",
    distrust: "Stop trusting",
  },
  maintenance: {
    loaded: "Loaded directories",
    what: "Config changes take effect with the next run. Current runs keep the config that they started with.",
    nothingOpen: "No directory is loaded. A run loads its directory when it starts.",
    generation: (values: { number: number; runs: number }) =>
      values.runs === 0
        ? `config version ${values.number}`
        : `config version ${values.number}, used by ${count(values.runs, "run", "runs")}`,
    retired: (values: { number: number; runs: number }) =>
      `config version ${values.number} is still used by ${count(values.runs, "run", "runs")}`,
    refresh: "Reload",
    refreshAll: "Reload all",
    actions: "Recent changes",
    noActions: "No changes yet",
    kinds: { refresh: "Reload", close: "Close" },
    causes: {
      request: "started manually",
      config: "config",
      provider: "provider",
      mcp: "MCP server",
    },
    status: { requested: "started", deferred: "waiting", completed: "done", failed: "failed" },
    waits: "Waiting for:",
    force: "Stop these runs now",
    done: "Done. Applies from the next run.",
    doneBut: (values: { problem: string }) => `Done, with a problem: ${values.problem}`,
    deferred: (values: { count: number }) =>
      `Applies from the next run. ${count(values.count, "current run still uses", "current runs still use")} the old settings.`,
    failed: (values: { problem: string }) => `Nothing was changed: ${values.problem}`,
    ended: "The change is complete. No run uses the old settings any more.",
    endedBadly: (values: { problem: string }) =>
      `The change ended with a problem: ${values.problem}`,
  },
};
