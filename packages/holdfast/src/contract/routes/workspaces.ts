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
  providerListSchema,
  providerQuery,
  providerTestSchema,
  testBody,
} from "../provider.ts";
import { bodyLimits } from "../route.ts";
import type { Route } from "../route.ts";
import { workspaceListSchema, workspaceSchema } from "../workspace.ts";

/** Of every route that changes what runs work with (M2). */
const applied = {
  200: {
    kind: "json",
    schema: maintenanceAnswerSchema,
    description:
      "it is in use, and what it replaces is gone; or it failed, and nothing has changed",
  },
  202: {
    kind: "json",
    schema: maintenanceAnswerSchema,
    description: "it is in use, and what it replaces waits for the runs in `waitingFor`",
  },
} as const;

export const workspaceRoutes = {
  listWorkspaces: {
    method: "GET",
    path: "/v1/workspaces",
    tag: "workspaces",
    role: "observe",
    summary: "List the directories that are open in this process, and who uses what",
    answers: { 200: { kind: "json", schema: workspaceListSchema, description: "all of them" } },
  },
  getWorkspace: {
    method: "GET",
    path: "/v1/workspace",
    tag: "workspaces",
    role: "observe",
    summary: "See what runs in a directory have to work with",
    description:
      "Loads the directory if it is not, which starts its MCP servers; with the role `observe` it loads nothing, and shows what is loaded. A config that cannot be loaded is told in `notices`.",
    query: directoryQuery,
    answers: { 200: { kind: "json", schema: workspaceSchema, description: "the directory" } },
    errors: ["notOffered"],
  },
  listMaintenance: {
    method: "GET",
    path: "/v1/maintenance",
    tag: "maintenance",
    role: "observe",
    summary: "List refreshes and closes, the latest first",
    query: maintenanceQuery,
    answers: {
      200: { kind: "json", schema: maintenancePageSchema, description: "a page of them" },
    },
    errors: ["badCursor"],
  },
  requestMaintenance: {
    method: "POST",
    path: "/v1/maintenance",
    tag: "maintenance",
    role: "admin",
    summary: "Load directories anew, or close them, without taking anything away from a run",
    description:
      "Runs keep what they began with; the next ones get the new state. With `force` the runs that would be waited for are cancelled; queued prompts survive.",
    body: { kind: "json", schema: maintenanceBody, maxBytes: bodyLimits.small },
    answers: applied,
    errors: ["conflict"],
  },
  getMaintenance: {
    method: "GET",
    path: "/v1/maintenance/{actionId}",
    tag: "maintenance",
    role: "observe",
    summary: "Get a refresh or close, or wait until it has ended",
    query: waitQuery,
    answers: { 200: { kind: "json", schema: maintenanceSchema, description: "the action" } },
    errors: ["unknownAction"],
  },
  forceMaintenance: {
    method: "POST",
    path: "/v1/maintenance/{actionId}/force",
    tag: "maintenance",
    role: "admin",
    summary: "Wait no longer: cancel the runs that an action waits for",
    answers: applied,
    errors: ["unknownAction"],
  },
  listProviders: {
    method: "GET",
    path: "/v1/providers",
    tag: "providers",
    role: "observe",
    summary: "List whom models are asked of, with masked keys",
    description:
      "With a directory, those of its own config too, as far as it is trusted; `model` is what runs there use.",
    query: providerQuery,
    answers: { 200: { kind: "json", schema: providerListSchema, description: "all of them" } },
    errors: ["notOffered", "brokenWorkspace"],
  },
  connectProvider: {
    method: "POST",
    path: "/v1/providers/{provider}/connect",
    tag: "providers",
    role: "admin",
    summary: "Connect a provider, for every directory's next runs",
    body: { kind: "json", schema: connectBody, maxBytes: bodyLimits.small, optional: true },
    answers: applied,
    errors: ["notOffered", "brokenWorkspace"],
  },
  disconnectProvider: {
    method: "POST",
    path: "/v1/providers/{provider}/disconnect",
    tag: "providers",
    role: "admin",
    summary: "Disconnect a provider: running work keeps it to its end, unless it is forced",
    body: { kind: "json", schema: disconnectBody, maxBytes: bodyLimits.small, optional: true },
    answers: applied,
    errors: ["notOffered", "unknownProvider", "brokenWorkspace"],
  },
  testProvider: {
    method: "POST",
    path: "/v1/providers/{provider}/test",
    tag: "providers",
    role: "admin",
    summary: "See whether a provider's key works, by one cheap call",
    body: { kind: "json", schema: testBody, maxBytes: bodyLimits.small, optional: true },
    answers: { 200: { kind: "json", schema: providerTestSchema, description: "what it showed" } },
    errors: ["notOffered", "unknownProvider", "brokenWorkspace"],
  },
  listMcpServers: {
    method: "GET",
    path: "/v1/mcp",
    tag: "mcp",
    role: "observe",
    summary: "List a directory's MCP servers and how they are",
    description:
      "Loads the directory if it is not, which starts them; with the role `observe` it lists those that are there.",
    query: directoryQuery,
    answers: { 200: { kind: "json", schema: mcpListSchema, description: "all of them" } },
    errors: ["notOffered"],
  },
  restartMcpServer: {
    method: "POST",
    path: "/v1/mcp/{server}/restart",
    tag: "mcp",
    role: "admin",
    summary: "Start one MCP server anew for the next runs",
    body: { kind: "json", schema: restartBody, maxBytes: bodyLimits.small },
    answers: applied,
    errors: ["notOffered", "unknownServer"],
  },
  getConfig: {
    method: "GET",
    path: "/v1/config",
    tag: "config",
    role: "admin",
    summary: "Read a config's file, and what is wrong with it",
    query: configQuery,
    answers: { 200: { kind: "json", schema: configFileSchema, description: "the file" } },
    errors: ["notOffered", "brokenWorkspace"],
  },
  saveConfig: {
    method: "PATCH",
    path: "/v1/config",
    tag: "config",
    role: "admin",
    summary: "Write a config's file; nothing is written that could not be loaded",
    body: { kind: "json", schema: configBody, maxBytes: 4 * 1024 * 1024 },
    answers: applied,
    errors: ["notOffered", "badConfig", "staleRevision", "brokenWorkspace"],
  },
  trustConfig: {
    method: "POST",
    path: "/v1/config/trust",
    tag: "config",
    role: "admin",
    summary: "Let the commands, servers and keys of a project's config count, as they are now",
    body: { kind: "json", schema: trustBody, maxBytes: bodyLimits.small },
    answers: applied,
    errors: ["notOffered", "staleRevision", "brokenWorkspace"],
  },
} as const satisfies Record<string, Route>;
