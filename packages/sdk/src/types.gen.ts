// Generated from packages/holdfast/src/contract by scripts/generate-sdk-types.ts. Do not edit.

export interface Activity {
  /** start of the time range, in milliseconds since 1970 */
  from: number;
  /** end of the current slice, in milliseconds since 1970 */
  to: number;
  current: CurrentCounts;
  slices: readonly ActivitySlice[];
  inQueue: WaitingTimes;
  settled: SettledCounts;
  /** latest failed prompts, latest first, at most 20 */
  failures: readonly FailedPrompt[];
  /** false: the server is still reading the log, so ask again in a moment */
  isComplete: boolean;
}

export interface ActivitySlice {
  /** start of the slice, in milliseconds since 1970 */
  from: number;
  /** highest number of prompts that waited at the same time */
  waiting: number;
  /** highest number of runs that were active at the same time */
  running: number;
  settled: SettledCounts;
  inQueue: WaitingTimes;
  inputTokens: number;
  outputTokens: number;
  /** US dollars */
  cost: number;
}

export interface Actor {
  kind: "client" | "run" | "node";
  id: string;
}

export interface AnswerContent {
  text: string;
  reasoning: string | null;
  model: string | null;
  /** requested level of reasoning */
  effort?: string | undefined;
  context?: ContextUse | undefined;
  /** true: a summary that replaces the conversation before it */
  summary: boolean;
  calls: readonly Call[];
}

export interface AnswerInput {
  verdict: "allow" | "deny";
  /** text for the model: an answer, or the reason for a denial */
  text?: string | undefined;
  /** save this permission; ignored for questions */
  remember?: "session" | "project" | undefined;
  raise?: BudgetInput | undefined;
}

export interface Ask {
  sessionId: string;
  askId: string;
  runId: string;
  callId: string | null;
  body: string | null;
  question: string;
  /** for a permission: `permission` (action, subject, preview, the `path` of a command in another directory, and for a change of a file its size `change`: added, removed, and the lines of the diff `omitted` from the preview; for another long text, the `omittedCharacters` of the preview), the `agent` that asks if it is a hosted agent, and `remembers`, the rules that `remember` would save, or an empty list; for a question: `choices`; for a spent budget: `budget` (spent, limit, raise) */
  extra: unknown;
  /** milliseconds since 1970 */
  openedAt: number;
  expiresAt: number | null;
  closed: {
    resolution: AskResolution;
    actor: Actor;
    /** milliseconds since 1970 */
    at: number;
  } | null;
  /** text that came with the verdict */
  answer: AskAnswer | null;
}

export interface AskAnswer {
  text: string | null;
  remember: "session" | "project" | null;
}

export interface AskContent {
  question: string;
  extra: unknown;
}

export interface AskPage {
  items: readonly Ask[];
  /** `after` of the next page; null on the last page */
  cursor: string | null;
}

export interface AskPreview {
  text: string;
}

export type AskResolution = {
  kind: "answered";
  verdict: "allow" | "deny";
  body: string | null;
  raise?: Budget | undefined;
} | {
  kind: "expired";
} | {
  kind: "withdrawn";
};

export interface Attachment {
  /** SHA-256 of the content; prompts refer to the attachment by it */
  hash: string;
  name: string | null;
  mediaType: string;
  bytes: number;
}

export interface Budget {
  tokens: number | null;
  cost: number | null;
}

export interface BudgetInput {
  tokens?: number | null | undefined;
  /** in US dollars */
  cost?: number | null | undefined;
}

export interface Call {
  callId: string;
  name: string;
  input: unknown;
  /** true: safe to run twice */
  repeatable: boolean;
}

export interface CancelInput {
  /** id chosen by the sender; a repeated request returns the same receipt */
  cancelId?: string | undefined;
  /** an acceptSeq: prompts accepted after it are not cancelled */
  upTo?: number | null | undefined;
  /** also cancel every descendant, at any depth */
  tree?: boolean | undefined;
}

export interface Changes {
  files: readonly ({
    /** absolute path */
    path: string;
    status: "created" | "changed" | "deleted" | "renamed";
    /** absolute path before the file was renamed; null: not renamed */
    from: string | null;
    /** runs that changed the file, in order */
    runIds: readonly string[];
    /** added lines; null if not counted, for example because the content is not text */
    added: number | null;
    /** removed lines; null if not counted */
    removed: number | null;
    /** true: the content is not text */
    binary: boolean;
    /** when something other than the runs changed the file too. during: between the changes of the runs; since: after them; null: never */
    others: "during" | "since" | null;
    /** why the file cannot be read now */
    problem: string | null;
  })[];
  /** number of changed files that are left out */
  omitted: number;
  /** commands and other actions whose file changes are not recorded */
  commands: readonly ({
    runId: string;
    callId: string;
    summary: string;
    /** milliseconds since 1970 */
    at: number;
    /** absolute paths of files that last changed while the command ran */
    files: readonly string[];
  })[];
  /** ids of background sessions that the runs started; each has a list of its own changes */
  background: readonly string[];
}

export interface ClearInput {
  /** id chosen by the sender; a repeated request returns the same receipt */
  cancelId?: string | undefined;
}

export interface Closed {
  reason: "slowReader" | "draining" | "revoked" | "reset";
  after: string | null;
}

export interface CommandUse {
  /** without the slash */
  name: string;
  /** text after the command name */
  arguments: string;
}

export interface ConfigFile {
  /** project: holdfast.jsonc of the directory; user: config.jsonc of the user who runs the server */
  scope: "project" | "user";
  file: string;
  /** null: the file does not exist */
  text: string | null;
  /** digest of the text; send it with a change */
  digest: string | null;
  /** problems in the directory's whole config */
  notices: readonly Notice[];
  /** settings of the project that could run commands or send keys elsewhere; they have no effect until trusted; null for the user's config */
  powers: {
    /** digest to trust the privileged settings with; null if there are none */
    digest: string | null;
    trusted: boolean;
    items: readonly ({
      /** config key, such as `mcp.files` */
      key: string;
      file: string;
      line: number;
      /** effect of this key */
      summary: string;
    })[];
  } | null;
}

export interface ConfigInput {
  /** project: holdfast.jsonc of the directory; user: config.jsonc of the user who runs the server */
  scope?: "project" | "user" | undefined;
  /** the project folder, as an absolute path */
  directory?: string | undefined;
  /** the whole file; checked before it is written */
  text: string;
  /** digest of the text that was read; the request is refused if the file has changed since; null: a new file */
  digest: string | null;
}

export interface ConnectInput {
  /** stored in a file that only the owner can read; leave out for servers without keys */
  key?: string | null | undefined;
  /** only if it differs from the provider's default */
  baseUrl?: string | undefined;
  /** only for providers that Holdfast does not know by name */
  protocol?: "anthropic" | "openai" | "google" | "compatible" | "azure" | "bedrock" | "vertex" | "copilot" | undefined;
  defaultModel?: string | undefined;
}

export interface ContextUse {
  /** tokens in the context of the hosted agent */
  used: number;
  /** tokens that the context can hold */
  size: number;
}

/** the current moment; at most 1,000 sessions are counted */
export interface CurrentCounts {
  /** sessions with an active run */
  running: number;
  /** prompts that wait */
  waiting: number;
  /** unanswered requests to people */
  asks: number;
  /** sessions that are paused, or whose run was cut off */
  paused: number;
}

export type Delivery = "queue" | "steer" | "interrupt" | "ifIdle";

export interface Delta {
  sessionId: string;
  runId: string;
  step: number;
  attempt: number;
  /** restart: the step starts over, discard its earlier deltas */
  kind: "text" | "reasoning" | "tool" | "restart";
  callId: string | null;
  text: string;
}

/** force: cancel runs that use the provider, and stop sending its key */
export interface DisconnectInput {
  /** maintenance: wait for runs; force: cancel the runs that it would wait for */
  mode?: "maintenance" | "force" | undefined;
}

export interface Draining {
  /** when active runs are handed over, by the server's clock */
  until: number;
}

export interface EditInput {
  text: string;
  /** the revision that was read; the request is refused if there is a later one */
  revision: number;
}

export interface EditorServerList {
  items: readonly ({
    /** name of the server in Holdfast */
    name: string;
    /** program and arguments */
    command: readonly string[];
    /** digest of the name, the command and the variables */
    digest: string;
    /** needsConsent: not started until a person consents */
    status: "used" | "needsConsent";
    /** names of the variables, with the values of those that can load other code */
    variables: readonly string[];
  })[];
}

export interface EditorServersInput {
  /** the project folder, as an absolute path */
  directory: string;
  /** name of the editor */
  client: string;
  servers: readonly ({
    name: string;
    /** program to start */
    command: string;
    args: readonly string[];
    env: Readonly<Record<string, string>>;
  })[];
  /** digests of servers to which a person has consented in this directory */
  consents: readonly string[];
}

export type Effort = "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export interface ErrorBody {
  error: {
    code: ErrorCode;
    /** for people: what happened and what to do */
    message: string;
    /** also in the header x-request-id and in the server's log */
    requestId: string;
    /** data for the caller; ErrorDetails has the shape for each code */
    details?: Readonly<Record<string, unknown>> | undefined;
  };
}

/** stable code of an error; programs branch on it */
export type ErrorCode = "invalid" | "badJson" | "badCursor" | "badConfig" | "unauthorized" | "forbidden" | "badOrigin" | "unknownRoute" | "methodNotAllowed" | "timeout" | "tooLarge" | "badContentType" | "badHost" | "rateLimited" | "tooManyStreams" | "quotaExceeded" | "headersTooLarge" | "unknownSession" | "unknownPrompt" | "unknownRun" | "unknownAsk" | "unknownHold" | "unknownWork" | "unknownEvent" | "unknownChange" | "unknownAttachment" | "unknownWebhook" | "unknownSubscription" | "unknownToken" | "unknownAction" | "unknownProvider" | "unknownServer" | "notOffered" | "deleted" | "badLink" | "conflict" | "tombstoned" | "busy" | "held" | "idle" | "runMismatch" | "stopping" | "takenIn" | "notWaiting" | "staleRevision" | "askClosed" | "fenced" | "outOfOrder" | "stepLimit" | "cycle" | "treeFull" | "owned" | "brokenWorkspace" | "tooManyHolds" | "queueFull" | "internal" | "notReady" | "draining" | "tooManyConnections" | "storeUnavailable" | "storeReadOnly" | "storeFull";

/** details of each error code that has any */
export interface ErrorDetails {
  invalid: {
    field?: string | undefined;
    /** at most 10 problems of the request */
    issues?: readonly ({
      place: "path" | "query" | "body";
      field: string;
      message: string;
    })[] | undefined;
  };
  badConfig: {
    notices: readonly Notice[];
  };
  brokenWorkspace: {
    notices: readonly Notice[];
  };
  forbidden: {
    role?: Role | undefined;
    needed?: Role | undefined;
    /** directories that the token is limited to */
    directories?: readonly string[] | undefined;
  };
  tooLarge: {
    limit: number;
  };
  queueFull: {
    limit: number;
  };
  stepLimit: {
    limit: number;
  };
  treeFull: {
    limit: number;
  };
  tooManyHolds: {
    limit: number;
  };
  quotaExceeded: {
    limit: number;
    quota: "uploadBytes" | "sessions" | "logBytes";
  };
  unknownAttachment: {
    hash: string;
  };
  runMismatch: {
    activeRunId: string | null;
  };
  takenIn: {
    /** run that the prompt has joined */
    runId: string;
  };
  staleRevision: {
    /** current revision of the prompt */
    revision?: number | undefined;
    /** current digest of the config */
    digest?: string | null | undefined;
  };
  askClosed: {
    ask: Ask;
  };
  owned: {
    owner: string;
  };
}

export interface FailedPrompt {
  sessionId: string;
  promptId: string;
  /** start of the prompt's text */
  text: string | null;
  /** milliseconds since 1970 */
  at: number;
  outcome: Outcome;
}

export interface FileList {
  /** paths relative to the directory, with / between folders */
  items: readonly string[];
  /** false: there are more files, or the search took too long */
  isComplete: boolean;
}

export interface FinishLoginInput {
  /** the project folder, as an absolute path */
  directory: string;
  /** address that the browser was sent to, if the browser is on another machine */
  callbackUrl?: string | undefined;
}

export interface FolderList {
  /** real path of the listed folder */
  directory: string;
  /** the folder above; null if this token may not use it */
  parent: string | null;
  /** true: the listed folder is a git repository */
  isRepository: boolean;
  /** where to begin: the folder in which the server was started and its user's home, or the directories of the token */
  places: readonly string[];
  items: readonly ({
    name: string;
    /** real path */
    path: string;
    isRepository: boolean;
  })[];
  /** false: there are more folders, or the search took too long */
  isComplete: boolean;
}

export interface ForkInput {
  /** id of the new session */
  sessionId?: string | undefined;
  /** seq of the last message to include; default: all messages */
  at?: number | null | undefined;
  /** id of the first prompt to leave out; default: no prompt is left out */
  before?: string | undefined;
}

export interface Generation {
  /** its number and the start of its digest */
  generationId: string;
  number: number;
  digest: string;
  /** milliseconds since 1970 */
  loadedAt: number;
  /** runs that use it until they end */
  runs: readonly PinningRun[];
}

export interface Health {
  status: "ok";
  name: "holdfast";
  version: string;
  /** proves that the server knows the owner's token, without revealing the token */
  proof: string | null;
}

export type Hold = {
  kind: "person";
  holdId: string;
  reason: string;
} | {
  kind: "failure";
  holdId: string;
  reason: Reason;
  retryAt: number | null;
} | {
  kind: "recovery";
  holdId: string;
  runId: string;
};

export interface HoldInput {
  /** 1 to 200 characters from letters, digits and . _ : @ + = ~ - */
  holdId?: string | undefined;
  /** shown to everyone who can see the session */
  reason?: string | undefined;
}

export interface HoldList {
  items: readonly Hold[];
}

export interface IntentContent {
  /** the planned action of the call */
  summary: string;
  files: readonly ({
    path: string;
    before: string | null;
  })[];
}

export interface Link {
  /** opens the web page once and signs the browser in */
  url: string;
  /** milliseconds since 1970 */
  expiresAt: number;
}

export interface ListedModel {
  /** `provider/model`, as prompts name it */
  id: string;
  provider: string;
  /** name for people; null if unknown */
  name: string | null;
  /** false: connect its provider first */
  isConnected: boolean;
  /** tokens of the context window */
  context: number;
  /** maximum tokens of an answer */
  output: number;
  images: boolean;
  /** false: the model cannot call tools */
  tools: boolean;
  /** levels of reasoning that can be requested, weakest first */
  reasoning: readonly ("off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max")[];
  /** null: unknown, so the cost is not counted */
  price: {
    /** dollars per million tokens */
    input: number;
    /** dollars per million tokens */
    output: number;
    /** dollars per million tokens */
    cachedInput: number;
    /** dollars per million tokens */
    cacheWrite: number;
  } | null;
  /** day on which its maker shuts the model down */
  endOfLife: string | null;
  /** set if that day is near or has come */
  warning: string | null;
  /** source of the limits; guess: neither the catalogue nor the server knows the model */
  source: "catalogue" | "server" | "config" | "guess";
}

export interface Live {
  /** seq of the last event; null when following all sessions */
  seq: number | null;
  /** cursor to resume with, even before the first event */
  cursor: string;
}

export interface LoginInput {
  /** the project folder, as an absolute path */
  directory: string;
}

export interface MaintenanceAction {
  actionId: string;
  /** refresh: the next run uses the current config; close: release open resources */
  kind: "refresh" | "close";
  /** null: all directories */
  directories: readonly string[] | null;
  /** maintenance: wait for runs; force: cancel the runs that it would wait for */
  mode: "maintenance" | "force";
  /** cause of the action */
  cause: "request" | "config" | "provider" | "mcp";
  /** providers that no request may use any more */
  revoke: readonly string[];
  actor: Actor;
  /** milliseconds since 1970 */
  requestedAt: number;
  /** actor that requested force later */
  forced: {
    actor: Actor;
    /** milliseconds since 1970 */
    at: number;
  } | null;
  status: "requested" | "deferred" | "completed" | "failed";
  endedAt: number | null;
  affectedDirectories: readonly string[];
  waitingFor: readonly PinningRun[];
  problems: readonly MaintenanceProblem[];
  /** progress of each process that was alive at the request */
  nodes: readonly ({
    nodeId: string;
    /** lost: the process is gone, with everything that it had open */
    status: "pending" | "deferred" | "done" | "failed" | "lost";
  })[];
}

export interface MaintenanceAnswer {
  /** deferred: new runs use the new state, and the old state stays until the runs that use it end; failed: the previous state stays in use */
  status: "completed" | "deferred" | "failed";
  actionId: string;
  affectedDirectories: readonly string[];
  waitingFor: readonly PinningRun[];
  problems: readonly MaintenanceProblem[];
}

export interface MaintenanceEvent {
  /** kind of change; open actions are sent first when a reader connects */
  told: "maintenance.requested" | "maintenance.deferred" | "maintenance.completed" | "maintenance.failed";
  action: MaintenanceAction;
}

export interface MaintenanceInput {
  /** refresh: the next run uses the current config; close: release open resources */
  kind: "refresh" | "close";
  /** null: all open directories */
  directories: readonly string[] | null;
  /** maintenance: wait for runs; force: cancel the runs that it would wait for */
  mode?: "maintenance" | "force" | undefined;
  /** id chosen by the sender; repeated requests with the same id count once */
  actionId?: string | undefined;
}

export interface MaintenancePage {
  items: readonly MaintenanceAction[];
  /** `after` of the next page; null on the last page */
  cursor: string | null;
}

export interface MaintenanceProblem {
  directory: string;
  message: string;
}

export interface McpLogin {
  /** address that a person opens to sign in; null: already signed in */
  authorizationUrl: string | null;
  /** loopback address of the server's machine that the browser is sent to at the end */
  redirectUrl: string;
}

export interface McpLoginState {
  status: "signedIn" | "waiting" | "failed";
  problem: string | null;
}

export interface McpServer {
  name: string;
  /** null if unknown */
  transport: "stdio" | "http" | null;
  /** connecting: not started yet, its tools are available to the first run after it has started; failed: it could not be started, none of its tools is available */
  status: "connecting" | "connected" | "reconnecting" | "failed";
  /** latest problem */
  problem: string | null;
  /** config file that contains the server; null: an editor has passed it */
  file: string | null;
  line: number | null;
  /** true: a person must sign in at the server */
  needsSignIn: boolean;
  /** name and version that the server reports */
  server: string | null;
  /** named as the model sees them */
  tools: readonly ({
    name: string;
    description: string;
  })[];
  /** prompts that can be used as commands */
  prompts: readonly ({
    name: string;
    description: string;
  })[];
  /** number of resources that it lists */
  resources: number;
  /** latest stderr output of a server that runs as a process */
  stderr: string;
}

export interface McpServerList {
  items: readonly McpServer[];
}

export interface Me {
  tokenId: string | null;
  name: string;
  role: Role;
  directories: readonly string[] | null;
}

export type Message = {
  /** seq of its event; null if it was copied by a fork or an import */
  seq: number | null;
  /** milliseconds since 1970 */
  at: number;
  role: "user";
  promptId: string;
  text: string;
  attachments: readonly Attachment[];
  actor: Actor;
  reply: boolean;
  /** the background child whose outcome the prompt delivers */
  resultOf: {
    sessionId: string;
    promptId: string;
    outcome: Outcome;
  } | null;
  /** agent that the sender named */
  agent?: string | undefined;
  /** model that the sender named, as provider/model */
  model?: string | undefined;
  /** mode of a hosted agent that the sender named */
  agentMode?: string | undefined;
  effort?: Effort | undefined;
  /** thinking as the sender set it */
  thinking?: boolean | undefined;
  command?: SentCommand | undefined;
  /** false: the prompt was settled before the model saw it */
  entered: boolean;
  outcome: Outcome | null;
} | {
  /** seq of its event; null if it was copied by a fork or an import */
  seq: number | null;
  /** milliseconds since 1970 */
  at: number;
  role: "assistant";
  runId: string;
  step: number;
  text: string;
  reasoning: string | null;
  model: string | null;
  /** requested level of reasoning */
  effort?: string | undefined;
  context?: ContextUse | undefined;
  /** true: a summary that replaces the conversation before it */
  summary: boolean;
  calls: readonly Call[];
  interrupted: boolean;
} | {
  /** seq of its event; null if it was copied by a fork or an import */
  seq: number | null;
  /** milliseconds since 1970 */
  at: number;
  role: "tool";
  callId: string;
  status: ToolStatus;
  output: string;
  /** data from the tool besides its output, such as a diff */
  extra: unknown;
  /** files that the tool shows to the model */
  files?: readonly Attachment[] | undefined;
  /** planned action of a call in doubt */
  intent: string | null;
};

export interface MessagePage {
  items: readonly Message[];
  /** `after` of the next page; null on the last page */
  cursor: string | null;
  /** prompts that have not entered the conversation, in queue order; only on the last page */
  waiting: readonly WaitingMessage[];
}

export interface ModelList {
  items: readonly ListedModel[];
  /** number of models that match, before the limit */
  total: number;
  /** default model for runs */
  model: string | null;
  /** providers that did not list their models */
  problems: readonly ({
    provider: string;
    message: string;
  })[];
  /** origin and date of the model catalogue */
  catalogue: {
    source: string;
    generated: string;
  };
}

export interface MoveInput {
  /** the queued prompt or work to put it before; null: the end of the queue */
  before: string | null;
}

export interface NewToken {
  tokenId: string;
  /** browser: a signed-in browser, which ends with the token that it was made from */
  kind: "token" | "browser";
  /** actor name for requests with this token */
  name: string;
  role: Role;
  /** null: all directories */
  directories: readonly string[] | null;
  /** milliseconds since 1970 */
  createdAt: number;
  /** name of the token that created it */
  createdBy: string | null;
  /** for a browser: the token that it was made from */
  parentId: string | null;
  expiresAt: number | null;
  revokedAt: number | null;
  /** accurate to a minute if there are several nodes */
  lastUsedAt: number | null;
  /** the secret that requests carry; shown only once */
  secret: string;
}

export interface NewWebhook {
  webhookId: string;
  url: string;
  events: readonly ("prompt.settled" | "ask.opened" | "ask.closed" | "notice")[];
  /** null: all sessions */
  sessionId: string | null;
  /** directories of the token that created it */
  directories: readonly string[] | null;
  /** milliseconds since 1970 */
  createdAt: number;
  failingSince: number | null;
  /** signs every delivery; shown only once */
  secret: string;
}

export interface Node {
  nodeId: string;
  /** true: the node that responds */
  self: boolean;
  /** when its lease ends unless it is renewed */
  expiresAt: number;
  /** name of its machine; null if unknown */
  host: string | null;
  pid: number | null;
  version: string | null;
  startedAt: number | null;
  /** number of runs that it executes at a time */
  maxRuns: number | null;
  /** sessions whose lanes it owns */
  lanes: readonly string[];
  /** directories of waiting lanes that do not exist on this node */
  absent: readonly string[];
}

export interface NodeList {
  items: readonly Node[];
  /** sessions whose lanes are owned by a node that is gone */
  abandoned: readonly string[];
  /** directories of waiting lanes that exist on no node */
  nowhere: readonly string[];
}

export interface Notice {
  severity: "error" | "warning";
  file: string | null;
  line: number | null;
  column: number | null;
  /** config key, such as `mcp.files.command` */
  key: string | null;
  message: string;
}

/** needsYou: a request waits for a person; finished: a run completed; failed: a run or prompt failed */
export type NoticeKind = "needsYou" | "finished" | "failed";

export interface NotificationSettings {
  quietHours: QuietHours | null;
  /** ids of muted sessions */
  muted: readonly string[];
}

export interface NotificationSettingsInput {
  /** null: no quiet hours */
  quietHours?: QuietHours | null | undefined;
  /** sessions to mute */
  mute?: readonly string[] | undefined;
  /** sessions to unmute */
  unmute?: readonly string[] | undefined;
}

export interface OfferInput {
  /** providers from the environment of the client; they replace an earlier offer */
  providers: readonly ({
    name: string;
    key: string | null;
    /** the key is a bearer token */
    bearer?: true | undefined;
    baseUrl?: string | undefined;
  })[];
}

export interface OfferedProviders {
  /** names of the providers that the session will use */
  providers: readonly string[];
}

export interface Outcome {
  status: "completed" | "failed" | "cancelled";
  /** reason of a failure or cancel */
  reason: Reason | null;
  /** the run that the prompt settled with, even if another prompt started it */
  runId: string | null;
  /** hash of the stored result */
  result: string | null;
}

export interface PinningRun {
  directory: string;
  sessionId: string;
  runId: string;
}

export type Prompt = {
  sessionId: string;
  promptId: string;
  /** seq of the event that accepted it */
  acceptSeq: number;
  /** null if only its cancel has arrived */
  contentHash: string | null;
  body: string | null;
  /** current text; null if none has arrived */
  text: string | null;
  attachments: readonly Attachment[];
  /** agent that the sender named */
  agent?: string | undefined;
  /** model that the sender named, as provider/model */
  model?: string | undefined;
  /** mode of a hosted agent that the sender named */
  agentMode?: string | undefined;
  effort?: Effort | undefined;
  /** thinking as the sender set it */
  thinking?: boolean | undefined;
  command?: SentCommand | undefined;
  /** increased by every edit */
  revision: number;
  delivery: Delivery;
  reply: boolean;
  actor: Actor;
  /** milliseconds since 1970 */
  acceptedAt: number;
  /** the run that sent it, for a prompt in a child session */
  parent: {
    sessionId: string;
    runId: string;
    background: boolean;
  } | null;
  /** the background child whose outcome the prompt delivers */
  resultOf: {
    sessionId: string;
    promptId: string;
    outcome: Outcome;
    usage: Usage;
    /** true: the child still has live descendants */
    branch?: true | undefined;
  } | null;
  /** receipt of what an interrupting prompt cancelled */
  receipt: Receipt | null;
  status: "queued";
  runId: null;
  outcome: null;
  result: null;
  settledAt: null;
} | {
  sessionId: string;
  promptId: string;
  /** seq of the event that accepted it */
  acceptSeq: number;
  /** null if only its cancel has arrived */
  contentHash: string | null;
  body: string | null;
  /** current text; null if none has arrived */
  text: string | null;
  attachments: readonly Attachment[];
  /** agent that the sender named */
  agent?: string | undefined;
  /** model that the sender named, as provider/model */
  model?: string | undefined;
  /** mode of a hosted agent that the sender named */
  agentMode?: string | undefined;
  effort?: Effort | undefined;
  /** thinking as the sender set it */
  thinking?: boolean | undefined;
  command?: SentCommand | undefined;
  /** increased by every edit */
  revision: number;
  delivery: Delivery;
  reply: boolean;
  actor: Actor;
  /** milliseconds since 1970 */
  acceptedAt: number;
  /** the run that sent it, for a prompt in a child session */
  parent: {
    sessionId: string;
    runId: string;
    background: boolean;
  } | null;
  /** the background child whose outcome the prompt delivers */
  resultOf: {
    sessionId: string;
    promptId: string;
    outcome: Outcome;
    usage: Usage;
    /** true: the child still has live descendants */
    branch?: true | undefined;
  } | null;
  /** receipt of what an interrupting prompt cancelled */
  receipt: Receipt | null;
  status: "running";
  runId: string;
  outcome: null;
  result: null;
  settledAt: null;
} | {
  sessionId: string;
  promptId: string;
  /** seq of the event that accepted it */
  acceptSeq: number;
  /** null if only its cancel has arrived */
  contentHash: string | null;
  body: string | null;
  /** current text; null if none has arrived */
  text: string | null;
  attachments: readonly Attachment[];
  /** agent that the sender named */
  agent?: string | undefined;
  /** model that the sender named, as provider/model */
  model?: string | undefined;
  /** mode of a hosted agent that the sender named */
  agentMode?: string | undefined;
  effort?: Effort | undefined;
  /** thinking as the sender set it */
  thinking?: boolean | undefined;
  command?: SentCommand | undefined;
  /** increased by every edit */
  revision: number;
  delivery: Delivery;
  reply: boolean;
  actor: Actor;
  /** milliseconds since 1970 */
  acceptedAt: number;
  /** the run that sent it, for a prompt in a child session */
  parent: {
    sessionId: string;
    runId: string;
    background: boolean;
  } | null;
  /** the background child whose outcome the prompt delivers */
  resultOf: {
    sessionId: string;
    promptId: string;
    outcome: Outcome;
    usage: Usage;
    /** true: the child still has live descendants */
    branch?: true | undefined;
  } | null;
  /** receipt of what an interrupting prompt cancelled */
  receipt: Receipt | null;
  status: "settled";
  runId: string | null;
  outcome: Outcome;
  /** the final answer, or the error message */
  result: string | null;
  /** milliseconds since 1970 */
  settledAt: number;
};

export interface PromptContent {
  text: string;
  attachments: readonly Attachment[];
  /** agent that the sender named */
  agent?: string | undefined;
  /** model that the sender named, as provider/model */
  model?: string | undefined;
  /** mode of a hosted agent that the sender named */
  agentMode?: string | undefined;
  effort?: Effort | undefined;
  /** thinking as the sender set it */
  thinking?: boolean | undefined;
  command?: SentCommand | undefined;
}

export interface PromptInput {
  /** id chosen by the sender; repeated requests with the same id count once */
  promptId?: string | undefined;
  /** may be empty or missing only with a command or attachments */
  text?: string | undefined;
  command?: CommandUse | undefined;
  /** agent to use if the prompt starts a run */
  agent?: string | undefined;
  /** model to use if the prompt starts a run, as provider/model; for a hosted agent the id of one of its models, which later prompts in this session also use */
  model?: string | undefined;
  /** mode of a hosted agent if the prompt starts a run; later prompts in this session also use it */
  agentMode?: string | undefined;
  effort?: Effort | undefined;
  /** false: the model answers without thinking first, if it can */
  thinking?: boolean | undefined;
  /** hashes of uploaded attachments */
  attachments?: readonly string[] | undefined;
  delivery?: Delivery | undefined;
  /** false: add the prompt to the conversation without starting a run */
  reply?: boolean | undefined;
  /** the only run that a steer may join */
  expectedRunId?: string | null | undefined;
  /** deadline: a prompt that is still queued then ends as `failed: expired` */
  expiresAt?: number | null | undefined;
  /** in milliseconds */
  maxRunTime?: number | null | undefined;
  /** limit for its run and every prompt that the run sends to other sessions */
  budget?: BudgetInput | null | undefined;
  /** effect of a spent budget: fail: end the tree as `failed: budget`; ask: ask people for more */
  onBudget?: "fail" | "ask" | undefined;
}

export interface PromptPage {
  items: readonly Prompt[];
  /** `after` of the next page; null on the last page */
  cursor: string | null;
}

export interface Provider {
  name: string;
  /** disconnected: known, but not to be used */
  status: "connected" | "disconnected";
  /** source of its key; null if it has none */
  source: "environment" | "file" | "config" | null;
  protocol: "anthropic" | "openai" | "google" | "compatible" | "azure" | "bedrock" | "vertex" | "copilot";
  baseUrl: string;
  /** masked key */
  key: string | null;
  defaultModel: string | null;
}

export interface ProviderChange {
  /** null: the server needs no key; left out: keep the key, if the address stays on the same server */
  key?: string | null | undefined;
  /** null: the provider's default; left out: keep it */
  baseUrl?: string | null | undefined;
  /** only for providers that Holdfast does not know by name */
  protocol?: "anthropic" | "openai" | "google" | "compatible" | "azure" | "bedrock" | "vertex" | "copilot" | undefined;
  /** null: the provider's default; left out: keep it */
  defaultModel?: string | null | undefined;
}

export interface ProviderList {
  items: readonly Provider[];
  /** model for runs if neither the prompt nor the directory names one */
  model: string | null;
  /** providers in the directory's config that are not trusted yet */
  untrusted: readonly string[];
}

export interface ProviderSignIn {
  userCode: string;
  /** page on which to type the code */
  url: string;
  /** milliseconds since 1970 */
  expiresAt: number;
}

export interface ProviderSignInInput {
  /** only if it differs from the provider's default */
  baseUrl?: string | undefined;
  /** OAuth client; default: the server's */
  clientId?: string | undefined;
  defaultModel?: string | undefined;
}

export interface ProviderSignInStatus {
  status: "waiting" | "signedIn" | "failed";
  problem: string | null;
  /** effect of a finished sign-in */
  change: MaintenanceAnswer | null;
}

export interface ProviderTest {
  works: boolean;
  problem: string | null;
  /** the setting that causes the problem, if that is known */
  field: "name" | "key" | "baseUrl" | "defaultModel" | null;
  /** models that the provider lists */
  models: readonly string[];
}

export interface PushSubscription {
  subscriptionId: string;
  /** name of the device */
  name: string | null;
  /** host of the push service */
  service: string;
  /** id of the token or browser session that created the subscription; both end together */
  tokenId: string;
  /** milliseconds since 1970 */
  createdAt: number;
  failingSince: number | null;
  /** why the last delivery failed */
  problem: string | null;
}

export interface PushSubscriptionInput {
  endpoint: string;
  /** keys of the browser (RFC 8291) */
  keys: {
    p256dh: string;
    auth: string;
  };
  /** language of the device; default: en */
  language?: "en" | "zh" | undefined;
  /** name of the device, for the list */
  name?: string | null | undefined;
  /** subscriptionId that this device had before: refused if the person has removed the device since then */
  renews?: string | undefined;
  /** ignored, because the push service decides when a subscription expires */
  expirationTime?: number | null | undefined;
}

export interface PushSubscriptionList {
  /** VAPID key of the server (RFC 8292), for pushManager.subscribe */
  publicKey: string;
  items: readonly PushSubscription[];
}

export interface PushTest {
  /** HTTP status of the push service */
  response: number | null;
  problem: string | null;
}

export interface QuietHours {
  from: string;
  /** an earlier time than `from` means the next day */
  to: string;
  timeZone: string;
}

export interface Readiness {
  status: "ready";
}

export type Reason = "sessionCancel" | "promptCancel" | "queueCleared" | "interrupt" | "promoted" | "force" | "parentCancel" | "runEnded" | "deleted" | "expired" | "runTime" | "budget" | "dailyCap" | "monthlyCap" | "tokenCap" | "stepLimit" | "crashLoop" | "interrupted" | "refused" | "agentError" | "badKey" | "noQuota" | "brokenWorkspace" | "modelGone" | "contextTooLong" | "contentFilter" | "providerError" | "stalled" | "loop";

export interface Receipt {
  cancelId: string;
  /** highest acceptSeq that the cancel covers */
  mark: number | null;
  covered: readonly ({
    promptId: string;
    acceptSeq: number;
    was: "queued" | "steering" | "running" | "takenIn";
    runId: string | null;
  })[];
  /** ids of exclusive work that the cancel ended */
  work: readonly string[];
  /** live descendants that the covered run waits for, at any depth */
  children: readonly ({
    sessionId: string;
    promptId: string;
  })[];
  /** all other live descendants; always listed, covered only with `tree` */
  background: readonly ({
    sessionId: string;
    promptId: string;
  })[];
  tree: boolean;
}

export interface RememberedRule {
  /** project: all sessions of the directory; session: the named session */
  scope: "project" | "session";
  action: "read" | "change" | "run" | "network" | "fetch" | "send" | "mcp" | "*";
  pattern: string;
  effect: "allow" | "ask" | "deny";
}

export interface RememberedRuleList {
  /** in the order in which they apply */
  items: readonly RememberedRule[];
  /** files of rules that cannot be read and are ignored */
  problems: readonly string[];
}

export interface Reset {
  cursor: string;
}

export interface RestartInput {
  /** the project folder, as an absolute path */
  directory: string;
  /** maintenance: wait for runs; force: cancel the runs that it would wait for */
  mode?: "maintenance" | "force" | undefined;
}

export interface ResultContent {
  text: string;
}

export interface RevertInput {
  /** id chosen by the sender; repeated requests with the same id undo once */
  workId?: string | undefined;
  /** true: also undo files that others have changed since */
  overwrite?: boolean | undefined;
  /** paths of the plan to undo; default: all files of the plan */
  files?: readonly string[] | undefined;
}

export interface RevertPlan {
  files: readonly ({
    path: string;
    /** true: the run created the file, and the undo deletes it */
    removes: boolean;
    /** why undoing the run would also undo other changes */
    conflict: string | null;
    diff: string;
  })[];
  /** other actions of the run, whose file changes are unknown */
  unknown: readonly string[];
  /** background sessions, which are undone separately */
  background: readonly string[];
}

export interface RevokeRuleInput {
  /** the project folder, as an absolute path */
  directory: string;
  /** also the rules of this session of the directory */
  sessionId?: string | undefined;
  /** project: all sessions of the directory; session: the named session */
  scope: "project" | "session";
  action: "read" | "change" | "run" | "network" | "fetch" | "send" | "mcp" | "*";
  pattern: string;
}

export type Role = "observe" | "propose" | "prompt" | "admin";

export interface Run {
  sessionId: string;
  runId: string;
  /** seq of its first event */
  seq: number;
  /** suspended: waits for a person or for a takeover */
  status: "running" | "suspended" | "stopping" | "closing" | "ended";
  /** the prompt that started the run, then the prompts that joined it */
  promptIds: readonly string[];
  attempt: number;
  /** the process that executes it */
  owner: string | null;
  /** milliseconds since 1970 */
  startedAt: number;
  endedAt: number | null;
  steps: number;
  usage: Usage;
  outcome: Outcome | null;
}

export interface RunPage {
  items: readonly Run[];
  /** `after` of the next page; null on the last page */
  cursor: string | null;
}

export interface SearchHit {
  sessionId: string;
  /** title of the session */
  title: string | null;
  directory: string;
  archived: boolean;
  kind: TextKind;
  /** seq of the event with the text */
  seq: number;
  /** the prompt, if the text is a prompt */
  promptId?: string | undefined;
  /** the tool call, if the text belongs to one */
  callId?: string | undefined;
  /** milliseconds since 1970 */
  at: number;
  /** the text around the first match, in pieces; join them to show it */
  snippet: readonly ({
    text: string;
    isMatch: boolean;
  })[];
}

export interface SearchPage {
  items: readonly SearchHit[];
  /** `after` of the next page; null on the last page */
  cursor: string | null;
  /** false: the server is still indexing texts, so newer ones may be missing */
  isComplete: boolean;
}

export interface SeenInput {
  /** seq of the last event that the person has seen */
  seq: number;
}

export interface SentCommand {
  /** without the slash */
  name: string;
  /** text after the command name */
  arguments: string;
  /** true: a built-in command; its text is shown to people and not sent to the model */
  builtIn?: true | undefined;
}

export interface ServerTimeline {
  /** sessions, most recently active first; at most 400 sessions with unfinished work */
  items: readonly SessionEvents[];
  /** true: less recently active sessions are left out */
  hasMore: boolean;
}

export interface Session {
  sessionId: string;
  directory: string;
  title: string | null;
  archived: boolean;
  /** the permission mode; null: a child session that uses the mode of its parent */
  mode: SessionMode | null;
  /** agent of runs whose prompt names none; null: the default agent of the directory */
  agent: string | null;
  /** the run that created it, for a child session */
  parent: {
    sessionId: string;
    runId: string;
  } | null;
  status: SessionStatus;
  /** seq of the last event in its log */
  seq: number;
  /** number of queued prompts and works */
  queued: number;
  openAsks: number;
  /** the active run */
  runId: string | null;
  holds: readonly Hold[];
  usage: Usage;
  budget: Budget | null;
  /** milliseconds since 1970 */
  createdAt: number;
  /** milliseconds since 1970 */
  updatedAt: number;
}

export interface SessionChange {
  title?: string | undefined;
  archived?: boolean | undefined;
  mode?: SessionMode | undefined;
  /** applies from the next run on; null: the default agent of the directory */
  agent?: string | null | undefined;
}

export interface SessionDetail {
  sessionId: string;
  directory: string;
  title: string | null;
  archived: boolean;
  /** the permission mode; null: a child session that uses the mode of its parent */
  mode: SessionMode | null;
  /** agent of runs whose prompt names none; null: the default agent of the directory */
  agent: string | null;
  /** the run that created it, for a child session */
  parent: {
    sessionId: string;
    runId: string;
  } | null;
  status: SessionStatus;
  /** seq of the last event in its log */
  seq: number;
  /** number of queued prompts and works */
  queued: number;
  openAsks: number;
  /** the active run */
  runId: string | null;
  holds: readonly Hold[];
  usage: Usage;
  budget: Budget | null;
  /** milliseconds since 1970 */
  createdAt: number;
  /** milliseconds since 1970 */
  updatedAt: number;
  /** in the order in which they will run */
  queue: readonly ({
    kind: "prompt";
    promptId: string;
    acceptSeq: number;
    revision: number;
    /** the run that a steer waits to join */
    binding: {
      runId: string;
      expected: boolean;
    } | null;
    reply: boolean;
    expiresAt: number | null;
  } | {
    kind: "work";
    workId: string;
    acceptSeq: number;
    name: string;
  })[];
  active: {
    kind: "run";
    runId: string;
    /** the prompt that started the run */
    startedBy: string;
    attempt: number;
    /** the process that executes it */
    owner: string | null;
    status: "running" | "stopping" | "closing";
    stage: "boundary" | "model" | "tools";
    step: number;
    /** the prompt that started the run, then the prompts that joined it */
    prompts: readonly string[];
    openCalls: readonly ({
      callId: string;
      started: boolean;
    })[];
    openAsks: readonly string[];
    children: readonly ({
      sessionId: string;
      promptId: string;
      outcome: Outcome | null;
    })[];
    usage: Usage;
    deadline: number | null;
    cutOffAt: number | null;
  } | {
    kind: "work";
    workId: string;
    name: string;
    owner: string | null;
    status: "running" | "stopping";
  } | null;
  background: readonly ({
    sessionId: string;
    promptId: string;
    runId: string;
  })[];
}

/** an exported session */
export type SessionDocument = Readonly<Record<string, unknown>>;

export interface SessionEvents {
  session: SessionDetail;
  /** latest events in order of seq; content is null except for accepted prompts, whose text is cut after 200 characters */
  events: readonly WireEvent[];
}

export interface SessionInput {
  /** id chosen by the sender; a repeated request returns the same session */
  sessionId?: string | undefined;
  /** the project folder, as an absolute path */
  directory: string;
  title?: string | null | undefined;
  /** limit for all its prompts and every prompt that their runs send to other sessions */
  budget?: BudgetInput | null | undefined;
  /** effect of a spent budget: fail: end the tree as `failed: budget`; ask: ask people for more */
  onBudget?: "fail" | "ask" | undefined;
  /** agent of runs whose prompt names none; default: the default agent of the directory */
  agent?: string | null | undefined;
}

export type SessionMode = "ask" | "acceptEdits" | "plan";

export interface SessionNotice {
  /** null: people are not notified about this event */
  kind: NoticeKind | null;
  /** why no device should notify the person now; null: notify. over: the request no longer waits for a person */
  quiet: "seen" | "muted" | "quietHours" | "over" | null;
}

export interface SessionPage {
  items: readonly Session[];
  /** `after` of the next page; null on the last page */
  cursor: string | null;
}

export type SessionStatus = "idle" | "queued" | "running" | "asking" | "stopping" | "cutOff" | "working" | "held" | "deleted";

export interface SettledCounts {
  completed: number;
  failed: number;
  cancelled: number;
}

export interface SignInInput {
  /** the part of a link after # */
  code: string;
}

export interface SignedIn {
  /** sent by the page as x-holdfast-key; needed together with the cookie */
  key: string;
}

export interface Snapshot {
  sessionId: string;
  runId: string;
  step: number;
  attempt: number;
  text: string;
  reasoning: string;
  calls: readonly ({
    callId: string;
    text: string;
  })[];
  /** true: the beginning is left out because it is too long */
  cut: boolean;
}

export interface Status {
  version: string;
  /** null if this process has no lease */
  nodeId: string | null;
  /** milliseconds since 1970 */
  startedAt: number;
  state: "ready" | "draining";
  /** when active runs are handed over; null unless the server is shutting down */
  drainingUntil: number | null;
  /** runs that this process executes */
  running: readonly ({
    sessionId: string;
    runId: string;
  })[];
  /** lanes that wait for a free place */
  waiting: number;
  /** directories of waiting lanes that do not exist on this node */
  absent: readonly ({
    directory: string;
    waiting: number;
  })[];
  /** sandbox for the commands that agents run on this node */
  sandbox: {
    /** null: commands run without a sandbox */
    name: string | null;
    /** why there is no sandbox; null if there is one */
    problem: string | null;
  };
  /** spending limits of all sessions for a day or month (UTC); empty unless configured */
  caps: readonly ({
    cap: "day" | "month";
    spent: Usage;
    limit: Budget;
    /** milliseconds since 1970 */
    resetsAt: number;
  })[];
}

export interface Step {
  step: number;
  attempt: number;
  /** milliseconds since 1970 */
  openedAt: number;
  /** null until the model has answered */
  answeredAt: number | null;
  interrupted: boolean;
  usage: Usage;
  calls: readonly ({
    callId: string;
    name: string;
    repeatable: boolean;
    startedAt: number | null;
    endedAt: number | null;
    /** null until the call has a result */
    status: ToolStatus | null;
  })[];
}

export interface StepList {
  items: readonly Step[];
}

export interface StopInput {
  /** milliseconds that active runs get before they are handed over */
  deadline?: number | undefined;
  /** true: refuse with `busy` if a run is active or a prompt is ready to start */
  ifIdle?: boolean | undefined;
}

export interface Stopping {
  status: "draining";
  deadline: number;
}

export interface TestInput {
  /** directory whose config is included */
  directory?: string | undefined;
  change?: ProviderChange | undefined;
}

/** toolCall: name and input of a tool call; toolResult: output of a tool call */
export type TextKind = "title" | "prompt" | "answer" | "toolCall" | "toolResult";

export interface Token {
  tokenId: string;
  /** browser: a signed-in browser, which ends with the token that it was made from */
  kind: "token" | "browser";
  /** actor name for requests with this token */
  name: string;
  role: Role;
  /** null: all directories */
  directories: readonly string[] | null;
  /** milliseconds since 1970 */
  createdAt: number;
  /** name of the token that created it */
  createdBy: string | null;
  /** for a browser: the token that it was made from */
  parentId: string | null;
  expiresAt: number | null;
  revokedAt: number | null;
  /** accurate to a minute if there are several nodes */
  lastUsedAt: number | null;
}

export interface TokenInput {
  name: string;
  role: Role;
  /** limits the token to sessions in and below these directories; default: all */
  directories?: readonly string[] | null | undefined;
  /** when the token expires */
  expiresAt?: number | null | undefined;
}

export interface TokenList {
  items: readonly Token[];
}

export interface ToolContent {
  output: string;
  /** data from the tool besides its output, such as a diff */
  extra: unknown;
  /** files that the tool shows to the model */
  files?: readonly Attachment[] | undefined;
}

export type ToolStatus = "completed" | "failed" | "denied" | "interrupted" | "inDoubt";

export interface TrustInput {
  /** the project folder, as an absolute path */
  directory: string;
  /** digest of the privileged settings that were read; the request is refused if they have changed since; null: trust nothing */
  digest: string | null;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cost: number;
}

export interface WaitingMessage {
  role: "user";
  promptId: string;
  text: string;
  attachments: readonly Attachment[];
  actor: Actor;
  reply: boolean;
  /** the background child whose outcome the prompt delivers */
  resultOf: {
    sessionId: string;
    promptId: string;
    outcome: Outcome;
  } | null;
  /** agent that the sender named */
  agent?: string | undefined;
  /** model that the sender named, as provider/model */
  model?: string | undefined;
  /** mode of a hosted agent that the sender named */
  agentMode?: string | undefined;
  effort?: Effort | undefined;
  /** thinking as the sender set it */
  thinking?: boolean | undefined;
  command?: SentCommand | undefined;
}

/** milliseconds from accept until a run used the prompt; null: no prompt */
export interface WaitingTimes {
  median: number | null;
  /** 95th percentile */
  high: number | null;
}

export interface Webhook {
  webhookId: string;
  url: string;
  events: readonly ("prompt.settled" | "ask.opened" | "ask.closed" | "notice")[];
  /** null: all sessions */
  sessionId: string | null;
  /** directories of the token that created it */
  directories: readonly string[] | null;
  /** milliseconds since 1970 */
  createdAt: number;
  failingSince: number | null;
}

export interface WebhookDelivery {
  deliveryId: string;
  event: string;
  sessionId: string | null;
  seq: number | null;
  /** milliseconds since 1970 */
  at: number;
  tries: number;
  status: "pending" | "delivered" | "failed";
  /** HTTP status of the last attempt */
  response: number | null;
  problem: string | null;
}

export interface WebhookDeliveryPage {
  items: readonly WebhookDelivery[];
  /** `after` of the next page; null on the last page */
  cursor: string | null;
}

export interface WebhookInput {
  /** 1 to 200 characters from letters, digits and . _ : @ + = ~ - */
  webhookId?: string | undefined;
  url: string;
  events: readonly ("prompt.settled" | "ask.opened" | "ask.closed" | "notice")[];
  /** default: all sessions */
  sessionId?: string | null | undefined;
}

export interface WebhookPage {
  items: readonly Webhook[];
  /** `after` of the next page; null on the last page */
  cursor: string | null;
}

export interface WholeChange {
  /** absolute path */
  path: string;
  status: "created" | "changed" | "deleted" | "renamed";
  /** absolute path before the file was renamed; null: not renamed */
  from: string | null;
  /** runs that changed the file, in order */
  runIds: readonly string[];
  /** added lines; null if not counted, for example because the content is not text */
  added: number | null;
  /** removed lines; null if not counted */
  removed: number | null;
  /** true: the content is not text */
  binary: boolean;
  /** when something other than the runs changed the file too. during: between the changes of the runs; since: after them; null: never */
  others: "during" | "since" | null;
  /** why the file cannot be read now */
  problem: string | null;
  /** unified diff; null if the content is not text or cannot be read */
  diff: string | null;
  /** size in bytes before and after the change; null: the file did not exist */
  sizes: {
    before: number | null;
    after: number | null;
  };
}

export type WireEvent = {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "session.created";
  contentHash: string;
  directory: string;
  parent: {
    sessionId: string;
    runId: string;
  } | null;
  budget: Budget | null;
  /** default: a spent budget fails the tree */
  onBudget?: "ask" | undefined;
  agent?: string | undefined;
  origin: {
    kind: "fork";
    sessionId: string;
    seq: number;
    /** hash of a stored body; `content` contains the body */
    transcript: string;
  } | {
    kind: "import";
    /** hash of a stored body; `content` contains the body */
    transcript: string;
  } | null;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "session.renamed";
  title: string;
  auto: boolean;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "session.archived";
  archived: boolean;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "session.modeSet";
  mode: SessionMode;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "session.agentSet";
  agent: string | null;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "session.deleted";
  keepsTree?: true | undefined;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "prompt.accepted";
  promptId: string;
  contentHash: string;
  body: string | null;
  delivery: Delivery;
  binding: {
    runId: string;
    expected: boolean;
  } | null;
  reply: boolean;
  expiresAt: number | null;
  maxRunTime: number | null;
  budget: Budget | null;
  /** default: a spent budget fails the tree */
  onBudget?: "ask" | undefined;
  /** budgets that the run is charged to */
  accounts?: readonly string[] | undefined;
  parent: {
    sessionId: string;
    runId: string;
    background: boolean;
  } | null;
  resultOf: {
    sessionId: string;
    promptId: string;
    outcome: Outcome;
    usage: Usage;
    /** true: the child still has live descendants */
    branch?: true | undefined;
  } | null;
  content: PromptContent | null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "prompt.edited";
  promptId: string;
  revision: number;
  /** hash of a stored body; `content` contains the body */
  body: string;
  content: PromptContent | null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "prompt.moved";
  promptId: string;
  before: string | null;
  unbound: boolean;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "prompt.takenIn";
  promptId: string;
  runId: string | null;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "prompt.returned";
  promptId: string;
  runId: string;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "prompt.settled";
  promptId: string;
  outcome: Outcome;
  content: ResultContent | null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "prompt.tombstoned";
  promptId: string;
  outcome: Outcome;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "prompt.unwanted";
  promptId: string;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "run.started";
  runId: string;
  promptId: string;
  owner: string;
  generation: string | null;
  /** resources of the directory that were missing, such as an MCP server that has not started yet */
  without?: readonly string[] | undefined;
  limits: {
    maxSteps: number;
    stopGrace: number;
    budget: Budget | null;
    /** default: a spent budget fails the tree */
    onBudget?: "ask" | undefined;
    /** milliseconds that an ask for a higher limit stays open */
    askTime?: number | undefined;
  };
  deadline: number | null;
  fence: number;
  attempt: number;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "run.resumed";
  runId: string;
  owner: string;
  generation: string | null;
  /** resources of the directory that were missing, such as an MCP server that has not started yet */
  without?: readonly string[] | undefined;
  formerGeneration: string | null;
  /** attempts so far: in total, and since the last step; missing in old events */
  tries?: {
    total: number;
    sinceStep: number;
  } | undefined;
  fence: number;
  attempt: number;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "run.suspended";
  runId: string;
  /** milliseconds since 1970 */
  cutOffAt: number;
  fence: number;
  attempt: number;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "run.handedOver";
  runId: string;
  /** attempts so far: in total, and since the last step; missing in old events */
  tries?: {
    total: number;
    sinceStep: number;
  } | undefined;
  fence: number;
  attempt: number;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "run.stopping";
  runId: string;
  outcome: Outcome;
  mark: number | null;
  /** milliseconds since 1970 */
  deadline: number;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "run.closing";
  runId: string;
  attempt: number;
  outcome: Outcome;
  mark: number | null;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "run.ended";
  runId: string;
  attempt: number;
  outcome: Outcome;
  usage: Usage;
  content: ResultContent | null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "step.opened";
  runId: string;
  step: number;
  /** active call whose hosted agent reports this step */
  within?: string | undefined;
  fence: number;
  attempt: number;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "step.answered";
  runId: string;
  step: number;
  /** hash of a stored body; `content` contains the body */
  body: string;
  calls: readonly ({
    callId: string;
    name: string;
    repeatable: boolean;
    /** a hosted agent executes the call */
    seen?: true | undefined;
  })[];
  usage: Usage;
  interrupted: boolean;
  fence: number;
  attempt: number;
  content: AnswerContent | null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "tool.started";
  runId: string;
  callId: string;
  body: string | null;
  fence: number;
  attempt: number;
  content: IntentContent | null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "tool.ended";
  runId: string;
  callId: string;
  status: ToolStatus;
  body: string | null;
  fence: number;
  attempt: number;
  content: ToolContent | null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "ask.opened";
  runId: string;
  askId: string;
  callId: string | null;
  /** active call that needs the answer to continue */
  within?: string | undefined;
  body: string | null;
  expiresAt: number | null;
  /** for an ask for a higher limit */
  budget?: {
    /** account of a prompt's or session's budget */
    accountId: string;
    spent: Usage;
    limit: Budget;
    raise: Budget;
  } | undefined;
  fence: number;
  attempt: number;
  content: AskContent | null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "run.waiting";
  runId: string;
  /** account of a prompt's or session's budget */
  accountId: string;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "run.woken";
  runId: string;
  /** account of a prompt's or session's budget */
  accountId: string;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "ask.closed";
  runId: string;
  askId: string;
  resolution: AskResolution;
  content: AskAnswer | null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "child.linked";
  runId: string;
  childSessionId: string;
  childPromptId: string;
  background: boolean;
  callId: string | null;
  origin?: string | undefined;
  acceptSeq?: number | undefined;
  fence: number;
  attempt: number;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "child.settled";
  childSessionId: string;
  childPromptId: string;
  outcome: Outcome;
  usage: Usage;
  branch?: true | undefined;
  content: ResultContent | null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "branch.ended";
  childSessionId: string;
  childPromptId: string;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "cancel.committed";
  receipt: Receipt;
  promptId: string | null;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "hold.placed";
  hold: Hold;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "hold.released";
  holdId: string;
  cause: "person" | "refresh" | "retryTime" | "newPrompt" | "runEnded" | "deleted";
  /** whether the release lets the paused run resume; missing in old events */
  resumesRun?: boolean | undefined;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "work.queued";
  workId: string;
  name: string;
  body: string | null;
  /** the requested work */
  content: unknown;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "work.started";
  workId: string;
  owner: string;
  fence: number;
  stopGrace: number;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "work.stopping";
  workId: string;
  /** milliseconds since 1970 */
  deadline: number;
  content: null;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
} | {
  sessionId: string;
  seq: number;
  /** milliseconds since 1970 */
  at: number;
  actor: Actor;
  version: 1;
  type: "work.ended";
  workId: string;
  cause: "done" | "cancelled" | "enforced" | "takeover" | "deleted";
  body: string | null;
  /** the result of the work */
  content: unknown;
  /** true: a text in `content` was cut; get the whole text at …/events/{seq} */
  truncated: boolean;
};

export interface Work {
  sessionId: string;
  workId: string;
  name: string;
  actor: Actor;
  status: "queued" | "running" | "stopping" | "ended";
  /** why it ended; only `done` means that all of it was done */
  cause: "done" | "cancelled" | "enforced" | "takeover" | "deleted" | null;
  input: unknown;
  /** message at its end */
  result: {
    status: "completed";
    value: unknown;
  } | {
    status: "failed";
    code: string;
    message: string;
  } | null;
  /** milliseconds since 1970 */
  queuedAt: number;
  startedAt: number | null;
  endedAt: number | null;
}

export interface Workspace {
  directory: string;
  /** the generation for the next run; null if none is loaded or none can be */
  generation: Generation | null;
  /** earlier generations that runs still use */
  retired: readonly Generation[];
  notices: readonly Notice[];
  /** why the last refresh failed; the previous generation stays in use */
  problem: string | null;
  /** default model; null: there is none */
  model: string | null;
  /** true: the demo agent answers, because no provider was ever connected */
  demo: boolean;
  /** default agent */
  agent: string | null;
  agents: readonly ({
    name: string;
    description: string;
    /** null: the model of the directory */
    model: string | null;
    /** patterns of tool names; null: all tools */
    tools: readonly string[] | null;
    /** true: another program answers the prompts, with its own model and tools */
    isHosted: boolean;
    /** models that a hosted agent offers; empty before its first run */
    models: readonly ({
      /** value to send in a prompt */
      id: string;
      name: string;
      description: string;
    })[];
    /** modes that a hosted agent offers, for `agentMode` of a prompt */
    modes: readonly ({
      /** value to send in a prompt */
      id: string;
      name: string;
      description: string;
    })[];
    /** commands of a hosted agent; a prompt whose text starts with /name uses one */
    commands: readonly ({
      name: string;
      description: string;
    })[];
  })[];
  commands: readonly ({
    /** name for `command` of a prompt; people type /name */
    name: string;
    description: string;
    /** the file or MCP server that it comes from */
    source: string;
  })[];
  tools: readonly string[];
  mcp: readonly McpServer[];
}

export interface WorkspaceList {
  items: readonly WorkspaceSummary[];
}

export interface WorkspaceSummary {
  directory: string;
  /** the generation for the next run; null if none is loaded or none can be */
  generation: Generation | null;
  /** earlier generations that runs still use */
  retired: readonly Generation[];
  notices: readonly Notice[];
  /** why the last refresh failed; the previous generation stays in use */
  problem: string | null;
}

/** All routes with their input and their answer. A failed request gets an ErrorBody. */
export interface Routes {
  /** Create a session in a directory */
  "POST /v1/sessions": {
    params: {};
    query: {};
    body: SessionInput;
    answer: SessionDetail;
  };
  /** List sessions, latest activity first */
  "GET /v1/sessions": {
    params: {};
    query: {
      /** `cursor` of the previous page; default: start with the first page */
      after?: string | undefined;
      /** how many at most; 100 if left out */
      limit?: number | undefined;
      /** the project folder, as an absolute path */
      directory?: string | undefined;
      /** searches title, directory and id; case-insensitive */
      search?: string | undefined;
      /** false: without archived sessions; true: only archived sessions */
      archived?: boolean | undefined;
      /** only sessions with this status; may be given more than once */
      status?: readonly ("idle" | "queued" | "running" | "asking" | "stopping" | "cutOff" | "working" | "held")[] | undefined;
    };
    body: undefined;
    answer: SessionPage;
  };
  /** Create a session from an exported document */
  "POST /v1/sessions/import": {
    params: {};
    query: {
      /** id of the new session */
      sessionId?: string | undefined;
      /** directory of the new session; default: the directory of the document */
      directory?: string | undefined;
    };
    body: SessionDocument;
    answer: SessionDetail;
  };
  /** Get a session with its queue and active run */
  "GET /v1/sessions/{sessionId}": {
    params: { sessionId: string };
    query: {};
    body: undefined;
    answer: SessionDetail;
  };
  /** Rename or archive a session, or set its permission mode or agent */
  "PATCH /v1/sessions/{sessionId}": {
    params: { sessionId: string };
    query: {};
    body: SessionChange;
    answer: SessionDetail;
  };
  /** Delete a session */
  "DELETE /v1/sessions/{sessionId}": {
    params: { sessionId: string };
    query: {};
    body: undefined;
    answer: SessionDetail;
  };
  /** Create a session from this one's messages up to a position */
  "POST /v1/sessions/{sessionId}/fork": {
    params: { sessionId: string };
    query: {};
    body: ForkInput;
    answer: SessionDetail;
  };
  /** List the child sessions of a session */
  "GET /v1/sessions/{sessionId}/children": {
    params: { sessionId: string };
    query: {
      /** `cursor` of the previous page; default: start with the first page */
      after?: string | undefined;
      /** how many at most; 100 if left out */
      limit?: number | undefined;
    };
    body: undefined;
    answer: SessionPage;
  };
  /** Read the messages of a session, oldest first */
  "GET /v1/sessions/{sessionId}/messages": {
    params: { sessionId: string };
    query: {
      /** `cursor` of the previous page; default: start with the first page */
      after?: string | undefined;
      /** how many at most; 100 if left out */
      limit?: number | undefined;
    };
    body: undefined;
    answer: MessagePage;
  };
  /** Export a session as a document */
  "GET /v1/sessions/{sessionId}/export": {
    params: { sessionId: string };
    query: {};
    body: undefined;
    answer: SessionDocument;
  };
  /** Search titles, prompts, answers and tool calls, newest first */
  "GET /v1/search": {
    params: {};
    query: {
      /** words that a text must contain, in any order; "quoted words" must follow each other; word* finds all words that start with it */
      q: string;
      /** only texts of this session */
      session?: string | undefined;
      /** only sessions in this directory or below it, as an absolute path */
      directory?: string | undefined;
      /** only texts of this kind; may be given more than once */
      kind?: readonly ("title" | "prompt" | "answer" | "toolCall" | "toolResult")[] | undefined;
      /** false: without archived sessions; true: only archived sessions */
      archived?: boolean | undefined;
      /** only texts from this time on, in milliseconds since 1970 */
      since?: number | undefined;
      /** only texts before this time, in milliseconds since 1970 */
      until?: number | undefined;
      /** `cursor` of the previous page; default: start with the first page */
      after?: string | undefined;
      /** how many at most; 20 if left out */
      limit?: number | undefined;
    };
    body: undefined;
    answer: SearchPage;
  };
  /** Send a prompt */
  "POST /v1/sessions/{sessionId}/prompts": {
    params: { sessionId: string };
    query: {
      /** seconds to wait for the outcome, at most the server's limit (60); returns the current entry after that time */
      wait?: number | undefined;
    };
    body: PromptInput;
    answer: Prompt;
  };
  /** List the prompts of a session in order of acceptance */
  "GET /v1/sessions/{sessionId}/prompts": {
    params: { sessionId: string };
    query: {
      /** `cursor` of the previous page; default: start with the first page */
      after?: string | undefined;
      /** how many at most; 100 if left out */
      limit?: number | undefined;
    };
    body: undefined;
    answer: PromptPage;
  };
  /** Get a prompt, or wait for its outcome */
  "GET /v1/sessions/{sessionId}/prompts/{promptId}": {
    params: { sessionId: string; promptId: string };
    query: {
      /** seconds to wait for the outcome, at most the server's limit (60); returns the current entry after that time */
      wait?: number | undefined;
    };
    body: undefined;
    answer: Prompt;
  };
  /** Edit a queued prompt */
  "PATCH /v1/sessions/{sessionId}/prompts/{promptId}": {
    params: { sessionId: string; promptId: string };
    query: {};
    body: EditInput;
    answer: Prompt;
  };
  /** Move a queued prompt before another, or to the end */
  "POST /v1/sessions/{sessionId}/prompts/{promptId}/move": {
    params: { sessionId: string; promptId: string };
    query: {};
    body: MoveInput;
    answer: Prompt;
  };
  /** Run a queued prompt now: put it first and stop the active run */
  "POST /v1/sessions/{sessionId}/prompts/{promptId}/promote": {
    params: { sessionId: string; promptId: string };
    query: {};
    body: undefined;
    answer: Prompt;
  };
  /** Cancel one prompt */
  "DELETE /v1/sessions/{sessionId}/prompts/{promptId}": {
    params: { sessionId: string; promptId: string };
    query: {
      /** id chosen by the sender; a repeated request returns the same receipt */
      cancelId?: string | undefined;
    };
    body: undefined;
    answer: Receipt;
  };
  /** Cancel all unsettled prompts of a session */
  "POST /v1/sessions/{sessionId}/cancel": {
    params: { sessionId: string };
    query: {};
    body: CancelInput;
    answer: Receipt;
  };
  /** Cancel the queued prompts and keep the active run */
  "POST /v1/sessions/{sessionId}/queue/clear": {
    params: { sessionId: string };
    query: {};
    body: ClearInput;
    answer: Receipt;
  };
  /** List the holds of a session */
  "GET /v1/sessions/{sessionId}/holds": {
    params: { sessionId: string };
    query: {};
    body: undefined;
    answer: HoldList;
  };
  /** Hold a session: prompts are accepted, but no run starts */
  "POST /v1/sessions/{sessionId}/holds": {
    params: { sessionId: string };
    query: {};
    body: HoldInput;
    answer: HoldList;
  };
  /** Release a hold */
  "DELETE /v1/sessions/{sessionId}/holds/{holdId}": {
    params: { sessionId: string; holdId: string };
    query: {};
    body: undefined;
    answer: HoldList;
  };
  /** List the runs of a session by start */
  "GET /v1/sessions/{sessionId}/runs": {
    params: { sessionId: string };
    query: {
      /** `cursor` of the previous page; default: start with the first page */
      after?: string | undefined;
      /** how many at most; 100 if left out */
      limit?: number | undefined;
    };
    body: undefined;
    answer: RunPage;
  };
  /** Get a run with its usage */
  "GET /v1/sessions/{sessionId}/runs/{runId}": {
    params: { sessionId: string; runId: string };
    query: {};
    body: undefined;
    answer: Run;
  };
  /** List the steps of a run with their calls */
  "GET /v1/sessions/{sessionId}/runs/{runId}/steps": {
    params: { sessionId: string; runId: string };
    query: {};
    body: undefined;
    answer: StepList;
  };
  /** List the files that a session or one of its runs has changed */
  "GET /v1/sessions/{sessionId}/changes": {
    params: { sessionId: string };
    query: {
      /** only the changes of this run; default: all runs */
      runId?: string | undefined;
    };
    body: undefined;
    answer: Changes;
  };
  /** Get the diff of a file that a session or one of its runs has changed */
  "GET /v1/sessions/{sessionId}/changes/file": {
    params: { sessionId: string };
    query: {
      /** only the changes of this run; default: all runs */
      runId?: string | undefined;
      /** absolute path of a changed file */
      path: string;
      /** number of unchanged lines around each change; 3 if left out */
      context?: number | undefined;
    };
    body: undefined;
    answer: WholeChange;
  };
  /** Preview the undo of a run's file changes */
  "GET /v1/sessions/{sessionId}/runs/{runId}/revert": {
    params: { sessionId: string; runId: string };
    query: {};
    body: undefined;
    answer: RevertPlan;
  };
  /** Undo the file changes of a run */
  "POST /v1/sessions/{sessionId}/runs/{runId}/revert": {
    params: { sessionId: string; runId: string };
    query: {
      /** seconds to wait for the outcome, at most the server's limit (60); returns the current entry after that time */
      wait?: number | undefined;
    };
    body: RevertInput;
    answer: Work;
  };
  /** Get exclusive work, such as an undo, or wait for its end */
  "GET /v1/sessions/{sessionId}/work/{workId}": {
    params: { sessionId: string; workId: string };
    query: {
      /** seconds to wait for the outcome, at most the server's limit (60); returns the current entry after that time */
      wait?: number | undefined;
    };
    body: undefined;
    answer: Work;
  };
  /** List the asks of a session */
  "GET /v1/sessions/{sessionId}/asks": {
    params: { sessionId: string };
    query: {
      /** `cursor` of the previous page; default: start with the first page */
      after?: string | undefined;
      /** how many at most; 100 if left out */
      limit?: number | undefined;
      /** true: only open asks */
      open?: boolean | undefined;
    };
    body: undefined;
    answer: AskPage;
  };
  /** List the open asks of all sessions */
  "GET /v1/asks": {
    params: {};
    query: {
      /** `cursor` of the previous page; default: start with the first page */
      after?: string | undefined;
      /** how many at most; 100 if left out */
      limit?: number | undefined;
    };
    body: undefined;
    answer: AskPage;
  };
  /** Get the whole diff or command that a permission request is about */
  "GET /v1/sessions/{sessionId}/asks/{askId}/preview": {
    params: { sessionId: string; askId: string };
    query: {};
    body: undefined;
    answer: AskPreview;
  };
  /** Answer an ask */
  "POST /v1/sessions/{sessionId}/asks/{askId}/answer": {
    params: { sessionId: string; askId: string };
    query: {};
    body: AnswerInput;
    answer: Ask;
  };
  /** Follow a session: every event once, in order, then live */
  "GET /v1/sessions/{sessionId}/events": {
    params: { sessionId: string };
    query: {
      /** id of the last event seen, or its seq when following one session; `now`: only new events */
      after?: string | undefined;
      /** false: without deltas and snapshots */
      deltas?: boolean | undefined;
      /** false: end after the last event in the log */
      follow?: boolean | undefined;
    };
    body: undefined;
    answer: Response;
  };
  /** Get one event with its whole content */
  "GET /v1/sessions/{sessionId}/events/{seq}": {
    params: { sessionId: string; seq: number };
    query: {};
    body: undefined;
    answer: WireEvent;
  };
  /** Download a file of an event */
  "GET /v1/sessions/{sessionId}/events/{seq}/files/{hash}": {
    params: { sessionId: string; seq: number; hash: string };
    query: {};
    body: undefined;
    answer: Response;
  };
  /** Follow all sessions, in order within each */
  "GET /v1/events": {
    params: {};
    query: {
      /** id of the last event seen, or its seq when following one session; `now`: only new events */
      after?: string | undefined;
      /** false: without deltas and snapshots */
      deltas?: boolean | undefined;
      /** false: end after the last event in the log */
      follow?: boolean | undefined;
    };
    body: undefined;
    answer: Response;
  };
  /** Upload an attachment */
  "POST /v1/attachments": {
    params: {};
    query: {
      /** file name, for people and for the model */
      name?: string | undefined;
    };
    body: Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | string;
    answer: Attachment;
  };
  /** Download an upload that no prompt has used yet */
  "GET /v1/attachments/{hash}": {
    params: { hash: string };
    query: {};
    body: undefined;
    answer: Response;
  };
  /** Download an attachment of a prompt */
  "GET /v1/sessions/{sessionId}/prompts/{promptId}/attachments/{hash}": {
    params: { sessionId: string; promptId: string; hash: string };
    query: {};
    body: undefined;
    answer: Response;
  };
  /** List the permission rules that were remembered for a directory */
  "GET /v1/rules": {
    params: {};
    query: {
      /** the project folder, as an absolute path */
      directory: string;
      /** also the rules of this session of the directory */
      sessionId?: string | undefined;
    };
    body: undefined;
    answer: RememberedRuleList;
  };
  /** Remove a remembered permission rule */
  "POST /v1/rules/revoke": {
    params: {};
    query: {};
    body: RevokeRuleInput;
    answer: RememberedRuleList;
  };
  /** List the open directories of this process and the runs that use them */
  "GET /v1/workspaces": {
    params: {};
    query: {};
    body: undefined;
    answer: WorkspaceList;
  };
  /** Get the agents, models, commands and MCP servers of a directory */
  "GET /v1/workspace": {
    params: {};
    query: {
      /** the project folder, as an absolute path */
      directory: string;
    };
    body: undefined;
    answer: Workspace;
  };
  /** List the files of a directory whose path contains a text */
  "GET /v1/files": {
    params: {};
    query: {
      /** the project folder, as an absolute path */
      directory: string;
      /** words that must all occur in the path, in any case */
      search?: string | undefined;
      /** how many at most; 200 if left out */
      limit?: number | undefined;
    };
    body: undefined;
    answer: FileList;
  };
  /** List the folders in a folder, to choose a project directory */
  "GET /v1/folders": {
    params: {};
    query: {
      /** folder to list; default: the first place */
      directory?: string | undefined;
      /** true: list the git repositories below the folder, at most 4 levels down, instead */
      repositories?: boolean | undefined;
    };
    body: undefined;
    answer: FolderList;
  };
  /** List refreshes and closes, latest first */
  "GET /v1/maintenance": {
    params: {};
    query: {
      /** only actions with this status; default: all */
      status?: "requested" | "deferred" | "completed" | "failed" | undefined;
      /** only actions that affect this directory */
      directory?: string | undefined;
      /** `cursor` of the previous page; default: start with the first page */
      after?: string | undefined;
      /** how many at most; 100 if left out */
      limit?: number | undefined;
    };
    body: undefined;
    answer: MaintenancePage;
  };
  /** Reload or close directories without affecting active runs */
  "POST /v1/maintenance": {
    params: {};
    query: {};
    body: MaintenanceInput;
    answer: MaintenanceAnswer;
  };
  /** Get a refresh or close, or wait for its end */
  "GET /v1/maintenance/{actionId}": {
    params: { actionId: string };
    query: {
      /** seconds to wait for the outcome, at most the server's limit (60); returns the current entry after that time */
      wait?: number | undefined;
    };
    body: undefined;
    answer: MaintenanceAction;
  };
  /** Cancel the runs that an action waits for */
  "POST /v1/maintenance/{actionId}/force": {
    params: { actionId: string };
    query: {};
    body: undefined;
    answer: MaintenanceAnswer;
  };
  /** List model providers, with masked keys */
  "GET /v1/providers": {
    params: {};
    query: {
      /** directory whose config is included */
      directory?: string | undefined;
    };
    body: undefined;
    answer: ProviderList;
  };
  /** List the models of the connected providers, with prices and limits */
  "GET /v1/models": {
    params: {};
    query: {
      /** directory whose config is included */
      directory?: string | undefined;
      /** words that the name must contain */
      search?: string | undefined;
      /** only models of this provider */
      provider?: string | undefined;
      /** true: also models of providers that are not connected, and models that have been shut down */
      all?: boolean | undefined;
      /** how many at most; 500 if left out */
      limit?: number | undefined;
    };
    body: undefined;
    answer: ModelList;
  };
  /** Connect a provider for the next runs of every directory */
  "POST /v1/providers/{provider}/connect": {
    params: { provider: string };
    query: {};
    body: ConnectInput;
    answer: MaintenanceAnswer;
  };
  /** Change settings of a provider and keep the others */
  "PATCH /v1/providers/{provider}": {
    params: { provider: string };
    query: {};
    body: ProviderChange;
    answer: MaintenanceAnswer;
  };
  /** Offer the providers of a client's environment to one session */
  "POST /v1/sessions/{sessionId}/providers": {
    params: { sessionId: string };
    query: {};
    body: OfferInput;
    answer: OfferedProviders;
  };
  /** Start a sign-in to a provider with a code */
  "POST /v1/providers/{provider}/sign-in": {
    params: { provider: string };
    query: {};
    body: ProviderSignInInput;
    answer: ProviderSignIn;
  };
  /** Wait until a person has typed the code */
  "POST /v1/providers/{provider}/sign-in/wait": {
    params: { provider: string };
    query: {};
    body: undefined;
    answer: ProviderSignInStatus;
  };
  /** Disconnect a provider; active runs keep it unless forced */
  "POST /v1/providers/{provider}/disconnect": {
    params: { provider: string };
    query: {};
    body: DisconnectInput;
    answer: MaintenanceAnswer;
  };
  /** Test the key of a provider with one cheap call */
  "POST /v1/providers/{provider}/test": {
    params: { provider: string };
    query: {};
    body: TestInput;
    answer: ProviderTest;
  };
  /** List the MCP servers of a directory with their status */
  "GET /v1/mcp": {
    params: {};
    query: {
      /** the project folder, as an absolute path */
      directory: string;
    };
    body: undefined;
    answer: McpServerList;
  };
  /** Restart an MCP server for the next runs */
  "POST /v1/mcp/{server}/restart": {
    params: { server: string };
    query: {};
    body: RestartInput;
    answer: MaintenanceAnswer;
  };
  /** Start a sign-in at an MCP server */
  "POST /v1/mcp/{server}/login": {
    params: { server: string };
    query: {};
    body: LoginInput;
    answer: McpLogin;
  };
  /** Wait for the end of a sign-in at an MCP server */
  "POST /v1/mcp/{server}/login/finish": {
    params: { server: string };
    query: {
      /** seconds to wait for the outcome, at most the server's limit (60); returns the current entry after that time */
      wait?: number | undefined;
    };
    body: FinishLoginInput;
    answer: McpLoginState;
  };
  /** Remove the stored sign-in at an MCP server */
  "POST /v1/mcp/{server}/logout": {
    params: { server: string };
    query: {};
    body: LoginInput;
    answer: MaintenanceAnswer;
  };
  /** Set the MCP servers that an editor wants to use in a directory */
  "POST /v1/mcp/editor-servers": {
    params: {};
    query: {};
    body: EditorServersInput;
    answer: EditorServerList;
  };
  /** Read a config file and its problems */
  "GET /v1/config": {
    params: {};
    query: {
      /** default: project */
      scope?: "project" | "user" | undefined;
      /** the project; not needed for the user's config */
      directory?: string | undefined;
    };
    body: undefined;
    answer: ConfigFile;
  };
  /** Write a config file, unless it could not be loaded */
  "PATCH /v1/config": {
    params: {};
    query: {};
    body: ConfigInput;
    answer: MaintenanceAnswer;
  };
  /** Trust the commands, servers and keys of a project's config */
  "POST /v1/config/trust": {
    params: {};
    query: {};
    body: TrustInput;
    answer: MaintenanceAnswer;
  };
  /** Get the caller's quiet hours and muted sessions */
  "GET /v1/notifications": {
    params: {};
    query: {};
    body: undefined;
    answer: NotificationSettings;
  };
  /** Change the caller's quiet hours, and mute or unmute sessions */
  "PATCH /v1/notifications": {
    params: {};
    query: {};
    body: NotificationSettingsInput;
    answer: NotificationSettings;
  };
  /** Get whether an event should notify the caller now */
  "GET /v1/sessions/{sessionId}/notices/{seq}": {
    params: { sessionId: string; seq: number };
    query: {};
    body: undefined;
    answer: SessionNotice;
  };
  /** Record how far the caller has seen a session */
  "POST /v1/sessions/{sessionId}/seen": {
    params: { sessionId: string };
    query: {};
    body: SeenInput;
    answer: undefined;
  };
  /** List the caller's devices that receive push messages */
  "GET /v1/push": {
    params: {};
    query: {};
    body: undefined;
    answer: PushSubscriptionList;
  };
  /** Send push messages to a device of the caller */
  "POST /v1/push": {
    params: {};
    query: {};
    body: PushSubscriptionInput;
    answer: PushSubscription;
  };
  /** Send no more push messages to a device of the caller */
  "DELETE /v1/push/{subscriptionId}": {
    params: { subscriptionId: string };
    query: {};
    body: undefined;
    answer: undefined;
  };
  /** Send a test message to a device of the caller */
  "POST /v1/push/{subscriptionId}/test": {
    params: { subscriptionId: string };
    query: {};
    body: undefined;
    answer: PushTest;
  };
  /** List webhooks */
  "GET /v1/webhooks": {
    params: {};
    query: {
      /** `cursor` of the previous page; default: start with the first page */
      after?: string | undefined;
      /** how many at most; 100 if left out */
      limit?: number | undefined;
    };
    body: undefined;
    answer: WebhookPage;
  };
  /** Create a webhook for settled prompts and asks */
  "POST /v1/webhooks": {
    params: {};
    query: {};
    body: WebhookInput;
    answer: NewWebhook;
  };
  /** Get a webhook */
  "GET /v1/webhooks/{webhookId}": {
    params: { webhookId: string };
    query: {};
    body: undefined;
    answer: Webhook;
  };
  /** Delete a webhook */
  "DELETE /v1/webhooks/{webhookId}": {
    params: { webhookId: string };
    query: {};
    body: undefined;
    answer: undefined;
  };
  /** List the deliveries of a webhook */
  "GET /v1/webhooks/{webhookId}/deliveries": {
    params: { webhookId: string };
    query: {
      /** `cursor` of the previous page; default: start with the first page */
      after?: string | undefined;
      /** how many at most; 100 if left out */
      limit?: number | undefined;
    };
    body: undefined;
    answer: WebhookDeliveryPage;
  };
  /** Send a test delivery now */
  "POST /v1/webhooks/{webhookId}/test": {
    params: { webhookId: string };
    query: {};
    body: undefined;
    answer: WebhookDelivery;
  };
  /** List tokens without their secrets */
  "GET /v1/tokens": {
    params: {};
    query: {};
    body: undefined;
    answer: TokenList;
  };
  /** Create a token with a role, for all or some directories */
  "POST /v1/tokens": {
    params: {};
    query: {};
    body: TokenInput;
    answer: NewToken;
  };
  /** Revoke a token */
  "DELETE /v1/tokens/{tokenId}": {
    params: { tokenId: string };
    query: {};
    body: undefined;
    answer: Token;
  };
  /** Get the name and role of the token in use */
  "GET /v1/me": {
    params: {};
    query: {};
    body: undefined;
    answer: Me;
  };
  /** Create a link that opens the web page once */
  "POST /v1/link": {
    params: {};
    query: {};
    body: undefined;
    answer: Link;
  };
  /** Sign a browser in with the code of a link */
  "POST /v1/sign-in": {
    params: {};
    query: {};
    body: SignInInput;
    answer: SignedIn;
  };
  /** Sign this browser out */
  "POST /v1/sign-out": {
    params: {};
    query: {};
    body: undefined;
    answer: undefined;
  };
  /** Get the server status */
  "GET /v1/status": {
    params: {};
    query: {};
    body: undefined;
    answer: Status;
  };
  /** Summarize prompts, waiting times, failures and cost of all sessions */
  "GET /v1/activity": {
    params: {};
    query: {
      /** length of the time range until now, in milliseconds; 15 minutes if left out */
      reach?: number | undefined;
      /** number of equal parts of the time range; 60 if left out */
      slices?: number | undefined;
    };
    body: undefined;
    answer: Activity;
  };
  /** Get the latest events of all sessions with unfinished work and of recently active sessions */
  "GET /v1/timeline": {
    params: {};
    query: {
      /** number of most recently active sessions; 24 if left out. Sessions with unfinished work are always included */
      latest?: number | undefined;
    };
    body: undefined;
    answer: ServerTimeline;
  };
  /** List the nodes of the store and the lanes that each owns */
  "GET /v1/nodes": {
    params: {};
    query: {};
    body: undefined;
    answer: NodeList;
  };
  /** Drain and stop the server */
  "POST /v1/stop": {
    params: {};
    query: {};
    body: StopInput;
    answer: Stopping;
  };
  /** Check that the process responds */
  "GET /healthz": {
    params: {};
    query: {
      /** random text from the client; the input for `proof` */
      nonce?: string | undefined;
    };
    body: undefined;
    answer: Health;
  };
  /** Check that the server accepts requests */
  "GET /readyz": {
    params: {};
    query: {};
    body: undefined;
    answer: Readiness;
  };
  /** Answer an MCP client that uses sessions as tools */
  "POST /mcp": {
    params: {};
    query: {};
    body: unknown;
    answer: Response;
  };
  /** Get metrics in the Prometheus format */
  "GET /metrics": {
    params: {};
    query: {};
    body: undefined;
    answer: Response;
  };
}
