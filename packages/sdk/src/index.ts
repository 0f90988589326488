export { connect } from "./connect.ts";
export type { ConnectOptions, Holdfast } from "./connect.ts";
export {
  Aborted,
  BadAnswer,
  HoldfastError,
  Refused,
  ServerFailed,
  Unavailable,
  Unreachable,
} from "./errors.ts";
export type { AnsweredCode, DetailsOf, HttpCode, RefusedWith, ServerAnswer } from "./errors.ts";
export { isEvent } from "./is-event.ts";
export { trackInFlight } from "./in-flight.ts";
export type { InFlight, InFlightTracker } from "./in-flight.ts";
export type { Attachments, AttachmentContent } from "./attachments.ts";
export type { Backoff } from "./backoff.ts";
export type { FeedEvent, FeedItem, FeedOptions } from "./feed-stream.ts";
export type { Maintenance } from "./maintenance.ts";
export type { Notifications } from "./notifications.ts";
export type { Page } from "./pages.ts";
export type { AcceptedPrompt, PromptHandle } from "./prompt.ts";
export type { PromptOptions, SessionHandle } from "./session.ts";
export type { ImportOptions, Sessions, SessionsQuery } from "./sessions.ts";
export type { SessionEventsOptions, SessionItem } from "./session-stream.ts";
export type { Settled } from "./settled.ts";
export type {
  DeltaItem,
  DrainingItem,
  FeedLiveItem,
  LiveItem,
  MaintenanceItem,
  ResetItem,
  SessionResetItem,
  SnapshotItem,
} from "./stream-item.ts";
export type { Timing } from "./timing.ts";
export type { Tokens } from "./tokens.ts";
export type { CallOptions } from "./transport.ts";
export type { Webhooks } from "./webhooks.ts";
export type { Rules, RulesPlace } from "./rules.ts";
export type { Search, SearchQuery } from "./search.ts";

export type { Config, FileSearch, McpServers, Providers, Workspaces } from "./workspaces.ts";
export type * from "./types.gen.ts";
