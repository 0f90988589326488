import { configBody, configFileSchema, configQuery, trustBody } from "../config-file.ts";
import {
  maintenanceAnswerSchema,
  maintenanceBody,
  maintenancePageSchema,
  maintenanceQuery,
  maintenanceSchema,
} from "../maintenance.ts";
import { directoryQuery, mcpListSchema, restartBody } from "../mcp-server.ts";
import { waitQuery } from "../prompt.ts";
import {
  connectBody,
  disconnectBody,
  offerBody,
  offeredSchema,
  providerListSchema,
  providerQuery,
  providerTestSchema,
  testBody,
} from "../provider.ts";
import { bodyLimits } from "../route.ts";
import type { Route } from "../route.ts";
import { workspaceListSchema, workspaceSchema } from "../workspace.ts";

/** Responses of every route that changes config, providers or MCP servers (M2). */
const applied = {
  200: {
    kind: "json",
    schema: maintenanceAnswerSchema,
    description:
      "the change is in use and the old state is gone; or the change failed and nothing has changed",
  },
  202: {
    kind: "json",
    schema: maintenanceAnswerSchema,
    description: "the change is in use; the old state stays until the runs in `waitingFor` end",
  },
} as const;

export const workspaceRoutes = {
  listWorkspaces: {
    method: "GET",
    path: "/v1/workspaces",
    tag: "workspaces",
    role: "observe",
    summary: "List the open directories of this process and the runs that use them",
    answers: {
      200: { kind: "json", schema: workspaceListSchema, description: "all open directories" },
    },
  },
  getWorkspace: {
    method: "GET",
    path: "/v1/workspace",
    tag: "workspaces",
    role: "observe",
    summary: "Get the agents, models, commands and MCP servers of a directory",
    description:
      "Loads the directory if necessary, which starts its MCP servers. With the role `observe`, nothing is loaded. Problems of a config that cannot be loaded are in `notices`.",
    query: directoryQuery,
    answers: { 200: { kind: "json", schema: workspaceSchema, description: "the directory" } },
    errors: ["notOffered"],
  },
  listMaintenance: {
    method: "GET",
    path: "/v1/maintenance",
    tag: "maintenance",
    role: "observe",
    summary: "List refreshes and closes, latest first",
    query: maintenanceQuery,
    answers: {
      200: { kind: "json", schema: maintenancePageSchema, description: "a page of actions" },
    },
    errors: ["badCursor"],
  },
  requestMaintenance: {
    method: "POST",
    path: "/v1/maintenance",
    tag: "maintenance",
    role: "admin",
    summary: "Reload or close directories without affecting active runs",
    description:
      "Active runs keep their state; the next runs get the new one. With `force`, the runs that would be waited for are cancelled; queued prompts stay queued.",
    body: { kind: "json", schema: maintenanceBody, maxBytes: bodyLimits.small },
    answers: applied,
    errors: ["conflict"],
  },
  getMaintenance: {
    method: "GET",
    path: "/v1/maintenance/{actionId}",
    tag: "maintenance",
    role: "observe",
    summary: "Get a refresh or close, or wait for its end",
    query: waitQuery,
    answers: { 200: { kind: "json", schema: maintenanceSchema, description: "the action" } },
    errors: ["unknownAction"],
  },
  forceMaintenance: {
    method: "POST",
    path: "/v1/maintenance/{actionId}/force",
    tag: "maintenance",
    role: "admin",
    summary: "Cancel the runs that an action waits for",
    answers: applied,
    errors: ["unknownAction"],
  },
  listProviders: {
    method: "GET",
    path: "/v1/providers",
    tag: "providers",
    role: "observe",
    summary: "List model providers, with masked keys",
    description:
      "With a directory, includes the providers of its trusted config; `model` is the default model there.",
    query: providerQuery,
    answers: { 200: { kind: "json", schema: providerListSchema, description: "all providers" } },
    errors: ["notOffered", "brokenWorkspace"],
  },
  connectProvider: {
    method: "POST",
    path: "/v1/providers/{provider}/connect",
    tag: "providers",
    role: "admin",
    summary: "Connect a provider for the next runs of every directory",
    body: { kind: "json", schema: connectBody, maxBytes: bodyLimits.small, optional: true },
    answers: applied,
    errors: ["notOffered", "brokenWorkspace"],
  },
  offerProviders: {
    method: "POST",
    path: "/v1/sessions/{sessionId}/providers",
    tag: "providers",
    role: "admin",
    summary: "Offer the providers of a client's environment to one session",
    description:
      "The server keeps them in memory and uses them only for runs of this session and its children. A stored or configured key of the same provider is used instead.",
    body: { kind: "json", schema: offerBody, maxBytes: bodyLimits.small },
    answers: {
      200: { kind: "json", schema: offeredSchema, description: "the providers that are used" },
    },
    errors: ["notOffered", "unknownSession", "brokenWorkspace"],
  },
  disconnectProvider: {
    method: "POST",
    path: "/v1/providers/{provider}/disconnect",
    tag: "providers",
    role: "admin",
    summary: "Disconnect a provider; active runs keep it unless forced",
    body: { kind: "json", schema: disconnectBody, maxBytes: bodyLimits.small, optional: true },
    answers: applied,
    errors: ["notOffered", "unknownProvider", "brokenWorkspace"],
  },
  testProvider: {
    method: "POST",
    path: "/v1/providers/{provider}/test",
    tag: "providers",
    role: "admin",
    summary: "Test the key of a provider with one cheap call",
    body: { kind: "json", schema: testBody, maxBytes: bodyLimits.small, optional: true },
    answers: { 200: { kind: "json", schema: providerTestSchema, description: "the result" } },
    errors: ["notOffered", "unknownProvider", "brokenWorkspace"],
  },
  listMcpServers: {
    method: "GET",
    path: "/v1/mcp",
    tag: "mcp",
    role: "observe",
    summary: "List the MCP servers of a directory with their status",
    description:
      "Loads the directory if necessary, which starts the servers. With the role `observe`, nothing is loaded.",
    query: directoryQuery,
    answers: { 200: { kind: "json", schema: mcpListSchema, description: "all servers" } },
    errors: ["notOffered"],
  },
  restartMcpServer: {
    method: "POST",
    path: "/v1/mcp/{server}/restart",
    tag: "mcp",
    role: "admin",
    summary: "Restart an MCP server for the next runs",
    body: { kind: "json", schema: restartBody, maxBytes: bodyLimits.small },
    answers: applied,
    errors: ["notOffered", "unknownServer"],
  },
  getConfig: {
    method: "GET",
    path: "/v1/config",
    tag: "config",
    role: "admin",
    summary: "Read a config file and its problems",
    query: configQuery,
    answers: { 200: { kind: "json", schema: configFileSchema, description: "the file" } },
    errors: ["notOffered", "brokenWorkspace"],
  },
  saveConfig: {
    method: "PATCH",
    path: "/v1/config",
    tag: "config",
    role: "admin",
    summary: "Write a config file, unless it could not be loaded",
    body: { kind: "json", schema: configBody, maxBytes: 4 * 1024 * 1024 },
    answers: applied,
    errors: ["notOffered", "badConfig", "staleRevision", "brokenWorkspace"],
  },
  trustConfig: {
    method: "POST",
    path: "/v1/config/trust",
    tag: "config",
    role: "admin",
    summary: "Trust the commands, servers and keys of a project's config",
    body: { kind: "json", schema: trustBody, maxBytes: bodyLimits.small },
    answers: applied,
    errors: ["notOffered", "staleRevision", "brokenWorkspace"],
  },
} as const satisfies Record<string, Route>;
