export { AgentFailure } from "./agent/agent.ts";
export type {
  Agent,
  AgentContext,
  AskAnswer,
  AskRequest,
  ChildOutcome,
  ChildRequest,
  Fact,
  OpenCall,
  Workspace,
} from "./agent/agent.ts";
export type {
  AssistantMessage,
  CallRequest,
  Message,
  ToolMessage,
  UserMessage,
} from "./agent/message.ts";
export type { CancelScope } from "./kernel/command.ts";
export type { Actor, Delivery, LaneEvent, Receipt } from "./kernel/event.ts";
export type { LedgerRow } from "./kernel/ledger.ts";
export type { MaintenanceAction, MaintenancePart, PinningRun } from "./kernel/maintenance.ts";
export type { Refusal, RefusalCode } from "./kernel/refusal.ts";
export type { LaneState, Outcome, Usage } from "./kernel/state.ts";
export { CommandRefused } from "./runner/command-refused.ts";
export { createHoldfast } from "./compose/own-holdfast.ts";
export type { OwnHoldfast } from "./compose/own-holdfast.ts";
export type {
  Maintenance,
  MaintenanceAnswer,
  MaintenanceInput,
} from "./runner/maintenance/maintenance.ts";
export { createRuntime } from "./runtime/runtime.ts";
export type { Runtime, RuntimeOptions } from "./runtime/runtime.ts";
export { openSqliteStore } from "./store/sqlite/sqlite-store.ts";
export { StoreError } from "./store/store-error.ts";
export type { Store } from "./store/store.ts";
export { createWorkspaceHost } from "./workspace/host.ts";
export type { WorkspaceHost } from "./workspace/host.ts";
export { WorkspaceError } from "./workspace/loader.ts";
export type { Blueprint, Resource, ResourcePlan, WorkspaceLoader } from "./workspace/loader.ts";
