// Generated from packages/holdfast/src/contract by scripts/generate-sdk-types.ts. Do not edit.

export interface Actor {
  kind: "client" | "run" | "node";
  id: string;
}

export interface AnswerContent {
  text: string;
  reasoning: string | null;
  model: string | null;
  /** it stands for the conversation before it */
  summary: boolean;
  calls: readonly Call[];
}

export interface AnswerInput {
  verdict: "allow" | "deny";
  /** words for the model: an answer, or why not */
  text?: string | undefined;
  /** keep this permission; without meaning for questions */
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
  /** for a permission: `permission` (action, subject, preview, and the `path` of a command in another folder) and `remembers`, the rule that `remember` would keep, or null; for a question: `choices`; for a spent budget: `budget` (spent, limit, raise) */
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
  /** what was said beside the verdict, if anything */
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
  /** pass it as `after` to get what follows; null at the end */
  cursor: string | null;
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
  /** what prompts refer to it by */
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
  /** running it a second time is safe */
  repeatable: boolean;
}

export interface CancelInput {
  /** chosen by the sender: sending it again answers the same receipt */
  cancelId?: string | undefined;
  /** an acceptSeq: prompts accepted after it are left alone */
  upTo?: number | null | undefined;
  /** also cancels every descendant, at any depth */
  tree?: boolean | undefined;
}

export interface ClearInput {
  /** chosen by the sender: sending it again answers the same receipt */
  cancelId?: string | undefined;
}

export interface Closed {
  reason: "slowReader" | "draining" | "revoked" | "reset";
  after: string | null;
}

export interface CommandUse {
  /** without the slash */
  name: string;
  /** what stood after its name */
  arguments: string;
}

export interface ConfigFile {
  /** project: holdfast.jsonc of the directory; user: config.jsonc of the person who runs the server */
  scope: "project" | "user";
  file: string;
  /** null: there is no such file */
  text: string | null;
  /** of the text: what a change is based on */
  digest: string | null;
  /** of the directory's whole config */
  notices: readonly Notice[];
  /** what in the project's files could run commands or send keys elsewhere: it counts only when it is trusted; null for the user's own */
  powers: {
    /** what to trust them by; null when there are none */
    digest: string | null;
    trusted: boolean;
    items: readonly ({
      /** such as `mcp.files` */
      key: string;
      file: string;
      line: number;
      /** what it would do */
      summary: string;
    })[];
  } | null;
}

export interface ConfigInput {
  /** project: holdfast.jsonc of the directory; user: config.jsonc of the person who runs the server */
  scope?: "project" | "user" | undefined;
  /** the project folder, as an absolute path */
  directory?: string | undefined;
  /** the whole file; it is checked before it is written */
  text: string;
  /** of the text that was read; refused when the file is another by now. null: a new file */
  digest: string | null;
}

export interface ConnectInput {
  /** kept in a file that only the owner can read; none for servers that want none */
  key?: string | null | undefined;
  /** only for servers that are not where the provider usually is */
  baseUrl?: string | undefined;
  /** only for providers that are not known by name */
  protocol?: "anthropic" | "openai" | "google" | "compatible" | undefined;
  defaultModel?: string | undefined;
}

export type Delivery = "queue" | "steer" | "interrupt" | "ifIdle";

export interface Delta {
  sessionId: string;
  runId: string;
  step: number;
  attempt: number;
  /** restart: the step begins anew, earlier pieces of it are taken back */
  kind: "text" | "reasoning" | "tool" | "restart";
  callId: string | null;
  text: string;
}

/** force: runs that use it are cancelled, and no request carries the key any more */
export interface DisconnectInput {
  /** maintenance waits for runs; force cancels those that it would wait for */
  mode?: "maintenance" | "force" | undefined;
}

export interface Draining {
  /** when active runs are handed over, by its clock */
  until: number;
}

export interface EditInput {
  text: string;
  /** the revision that was read; refused when there is a later one */
  revision: number;
}

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
export type ErrorCode = "invalid" | "badJson" | "badCursor" | "badConfig" | "unauthorized" | "forbidden" | "badOrigin" | "unknownRoute" | "methodNotAllowed" | "timeout" | "tooLarge" | "badContentType" | "badHost" | "rateLimited" | "tooManyStreams" | "quotaExceeded" | "headersTooLarge" | "unknownSession" | "unknownPrompt" | "unknownRun" | "unknownAsk" | "unknownHold" | "unknownWork" | "unknownEvent" | "unknownAttachment" | "unknownWebhook" | "unknownToken" | "unknownAction" | "unknownProvider" | "unknownServer" | "notOffered" | "deleted" | "badLink" | "conflict" | "tombstoned" | "busy" | "held" | "idle" | "runMismatch" | "stopping" | "takenIn" | "notWaiting" | "staleRevision" | "askClosed" | "fenced" | "outOfOrder" | "stepLimit" | "cycle" | "treeFull" | "owned" | "brokenWorkspace" | "tooManyHolds" | "queueFull" | "internal" | "notReady" | "draining" | "tooManyConnections" | "storeUnavailable" | "storeReadOnly" | "storeFull";

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

export interface ForkInput {
  /** of the new session */
  sessionId?: string | undefined;
  /** the seq of the last message that it begins with; all of them if left out */
  at?: number | null | undefined;
}

export interface Generation {
  /** its number and the beginning of its digest */
  generationId: string;
  number: number;
  digest: string;
  /** milliseconds since 1970 */
  loadedAt: number;
  /** those that use it, to their end */
  runs: readonly PinningRun[];
}

export interface Health {
  status: "ok";
  name: "holdfast";
  version: string;
  /** shows that the server knows the owner's token, without telling it */
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
  /** 1 to 200 characters out of letters, digits and . _ : @ + = ~ - */
  holdId?: string | undefined;
  /** shown to everybody who looks at the session */
  reason?: string | undefined;
}

export interface HoldList {
  items: readonly Hold[];
}

export interface IntentContent {
  /** what the call is about to do */
  summary: string;
  files: readonly ({
    path: string;
    before: string | null;
  })[];
}

export interface Link {
  /** opens the web page, once, and signs the browser in */
  url: string;
  /** milliseconds since 1970 */
  expiresAt: number;
}

export interface Live {
  /** of the last event; null when all sessions are followed */
  seq: number | null;
  /** what to resume with, also before the first event */
  cursor: string;
}

export interface MaintenanceAction {
  actionId: string;
  /** refresh: the next run uses what is configured now; close: free what is open */
  kind: "refresh" | "close";
  /** null: all */
  directories: readonly string[] | null;
  /** maintenance waits for runs; force cancels those that it would wait for */
  mode: "maintenance" | "force";
  /** what made it necessary */
  cause: "request" | "config" | "provider" | "mcp";
  /** providers that no request may use any more */
  revoke: readonly string[];
  actor: Actor;
  /** milliseconds since 1970 */
  requestedAt: number;
  /** who asked for force after the request */
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
  /** how far each process is that was alive at the request */
  nodes: readonly ({
    nodeId: string;
    /** lost: the process is gone, and with it all that it had open */
    status: "pending" | "deferred" | "done" | "failed" | "lost";
  })[];
}

export interface MaintenanceAnswer {
  /** deferred: new runs have the new state, what they replace waits for the runs that use it; failed: the state before is still in use */
  status: "completed" | "deferred" | "failed";
  actionId: string;
  affectedDirectories: readonly string[];
  waitingFor: readonly PinningRun[];
  problems: readonly MaintenanceProblem[];
}

export interface MaintenanceEvent {
  /** what has happened; actions that are open come first when a reader connects */
  told: "maintenance.requested" | "maintenance.deferred" | "maintenance.completed" | "maintenance.failed";
  action: MaintenanceAction;
}

export interface MaintenanceInput {
  /** refresh: the next run uses what is configured now; close: free what is open */
  kind: "refresh" | "close";
  /** null: all that are open */
  directories: readonly string[] | null;
  /** maintenance waits for runs; force cancels those that it would wait for */
  mode?: "maintenance" | "force" | undefined;
  /** chosen by the sender: sending it again is sending it once */
  actionId?: string | undefined;
}

export interface MaintenancePage {
  items: readonly MaintenanceAction[];
  /** pass it as `after` to get what follows; null at the end */
  cursor: string | null;
}

export interface MaintenanceProblem {
  directory: string;
  message: string;
}

export interface McpServer {
  name: string;
  /** null while it is not known */
  transport: "stdio" | "http" | null;
  /** connecting: it has not started yet, and its tools come with the first run after it has; failed: it could not be started, and none of its tools is there */
  status: "connecting" | "connected" | "reconnecting" | "failed";
  /** what went wrong last */
  problem: string | null;
  /** what it says that it is, with its version */
  server: string | null;
  /** under the names that the model sees */
  tools: readonly ({
    name: string;
    description: string;
  })[];
  /** usable as commands */
  prompts: readonly ({
    name: string;
    description: string;
  })[];
  /** how many it lists */
  resources: number;
  /** the last that a server in a process of its own has printed */
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
  /** its place in the log; null for one that a fork or an import has brought along */
  seq: number | null;
  /** milliseconds since 1970 */
  at: number;
  role: "user";
  promptId: string;
  text: string;
  attachments: readonly Attachment[];
  actor: Actor;
  reply: boolean;
  /** the background child whose outcome it brings */
  resultOf: {
    sessionId: string;
    promptId: string;
    outcome: Outcome;
  } | null;
  /** the agent that the sender has named */
  agent?: string | undefined;
  /** the model that the sender has named, as provider/model */
  model?: string | undefined;
  command?: SentCommand | undefined;
  /** false for one that was settled before the model got it */
  entered: boolean;
  outcome: Outcome | null;
} | {
  /** its place in the log; null for one that a fork or an import has brought along */
  seq: number | null;
  /** milliseconds since 1970 */
  at: number;
  role: "assistant";
  runId: string;
  step: number;
  text: string;
  reasoning: string | null;
  model: string | null;
  /** it stands for the conversation before it */
  summary: boolean;
  calls: readonly Call[];
  interrupted: boolean;
} | {
  /** its place in the log; null for one that a fork or an import has brought along */
  seq: number | null;
  /** milliseconds since 1970 */
  at: number;
  role: "tool";
  callId: string;
  status: ToolStatus;
  output: string;
  /** what the tool says beside its output, such as a diff */
  extra: unknown;
  /** what it shows the model besides */
  files?: readonly Attachment[] | undefined;
  /** what a call in doubt was about to do */
  intent: string | null;
};

export interface MessagePage {
  items: readonly Message[];
  /** pass it as `after` to get what follows; null at the end */
  cursor: string | null;
  /** prompts that have not entered yet, in queue order; only on the last page */
  waiting: readonly WaitingMessage[];
}

export interface MoveInput {
  /** the queued prompt or work that it goes before; null: to the end */
  before: string | null;
}

export interface NewToken {
  tokenId: string;
  /** browser: a signed-in browser, which ends with the token that it was made from */
  kind: "token" | "browser";
  /** the actor of what is done with it */
  name: string;
  role: Role;
  /** null: all directories */
  directories: readonly string[] | null;
  /** milliseconds since 1970 */
  createdAt: number;
  /** name of the token that made it */
  createdBy: string | null;
  /** of a browser: the token that it was made from */
  parentId: string | null;
  expiresAt: number | null;
  revokedAt: number | null;
  /** exact to a minute if several nodes serve */
  lastUsedAt: number | null;
  /** what requests carry; it is shown this once */
  secret: string;
}

export interface NewWebhook {
  webhookId: string;
  url: string;
  events: readonly ("prompt.settled" | "ask.opened" | "ask.closed")[];
  /** null: all sessions */
  sessionId: string | null;
  /** those of the token that made it */
  directories: readonly string[] | null;
  /** milliseconds since 1970 */
  createdAt: number;
  failingSince: number | null;
  /** signs every delivery; it is shown this once */
  secret: string;
}

export interface Node {
  nodeId: string;
  /** the node that answers */
  self: boolean;
  /** when its lease ends unless it is renewed */
  expiresAt: number;
  /** its machine's name; null until it has said so */
  host: string | null;
  pid: number | null;
  version: string | null;
  startedAt: number | null;
  /** how many runs it works on at a time */
  maxRuns: number | null;
  /** the sessions whose lanes it owns */
  lanes: readonly string[];
  /** directories that lanes wait for and that it has not */
  absent: readonly string[];
}

export interface NodeList {
  items: readonly Node[];
  /** sessions whose lanes are in the name of a node that is gone */
  abandoned: readonly string[];
  /** directories that lanes wait for and that no node has */
  nowhere: readonly string[];
}

export interface Notice {
  severity: "error" | "warning";
  file: string | null;
  line: number | null;
  column: number | null;
  /** such as `mcp.files.command` */
  key: string | null;
  message: string;
}

export interface Outcome {
  status: "completed" | "failed" | "cancelled";
  /** why it failed or was cancelled */
  reason: Reason | null;
  /** the run that it settled with, also when taken in */
  runId: string | null;
  /** the hash of the stored result */
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
  /** its place in the session's log */
  acceptSeq: number;
  /** null where only its cancel has arrived */
  contentHash: string | null;
  body: string | null;
  /** its words as they are now; null where none have arrived */
  text: string | null;
  attachments: readonly Attachment[];
  /** the agent that the sender has named */
  agent?: string | undefined;
  /** the model that the sender has named, as provider/model */
  model?: string | undefined;
  command?: SentCommand | undefined;
  /** raised by every edit */
  revision: number;
  delivery: Delivery;
  reply: boolean;
  actor: Actor;
  /** milliseconds since 1970 */
  acceptedAt: number;
  /** the run whose child it is */
  parent: {
    sessionId: string;
    runId: string;
    background: boolean;
  } | null;
  /** the background child whose outcome it brings */
  resultOf: {
    sessionId: string;
    promptId: string;
    outcome: Outcome;
    usage: Usage;
    /** the child still has live descendants */
    branch?: true | undefined;
  } | null;
  /** what an interrupting prompt cancelled */
  receipt: Receipt | null;
  status: "queued";
  runId: null;
  outcome: null;
  result: null;
  settledAt: null;
} | {
  sessionId: string;
  promptId: string;
  /** its place in the session's log */
  acceptSeq: number;
  /** null where only its cancel has arrived */
  contentHash: string | null;
  body: string | null;
  /** its words as they are now; null where none have arrived */
  text: string | null;
  attachments: readonly Attachment[];
  /** the agent that the sender has named */
  agent?: string | undefined;
  /** the model that the sender has named, as provider/model */
  model?: string | undefined;
  command?: SentCommand | undefined;
  /** raised by every edit */
  revision: number;
  delivery: Delivery;
  reply: boolean;
  actor: Actor;
  /** milliseconds since 1970 */
  acceptedAt: number;
  /** the run whose child it is */
  parent: {
    sessionId: string;
    runId: string;
    background: boolean;
  } | null;
  /** the background child whose outcome it brings */
  resultOf: {
    sessionId: string;
    promptId: string;
    outcome: Outcome;
    usage: Usage;
    /** the child still has live descendants */
    branch?: true | undefined;
  } | null;
  /** what an interrupting prompt cancelled */
  receipt: Receipt | null;
  status: "running";
  runId: string;
  outcome: null;
  result: null;
  settledAt: null;
} | {
  sessionId: string;
  promptId: string;
  /** its place in the session's log */
  acceptSeq: number;
  /** null where only its cancel has arrived */
  contentHash: string | null;
  body: string | null;
  /** its words as they are now; null where none have arrived */
  text: string | null;
  attachments: readonly Attachment[];
  /** the agent that the sender has named */
  agent?: string | undefined;
  /** the model that the sender has named, as provider/model */
  model?: string | undefined;
  command?: SentCommand | undefined;
  /** raised by every edit */
  revision: number;
  delivery: Delivery;
  reply: boolean;
  actor: Actor;
  /** milliseconds since 1970 */
  acceptedAt: number;
  /** the run whose child it is */
  parent: {
    sessionId: string;
    runId: string;
    background: boolean;
  } | null;
  /** the background child whose outcome it brings */
  resultOf: {
    sessionId: string;
    promptId: string;
    outcome: Outcome;
    usage: Usage;
    /** the child still has live descendants */
    branch?: true | undefined;
  } | null;
  /** what an interrupting prompt cancelled */
  receipt: Receipt | null;
  status: "settled";
  runId: string | null;
  outcome: Outcome;
  /** the final answer, or the error's text */
  result: string | null;
  /** milliseconds since 1970 */
  settledAt: number;
};

export interface PromptContent {
  text: string;
  attachments: readonly Attachment[];
  /** the agent that the sender has named */
  agent?: string | undefined;
  /** the model that the sender has named, as provider/model */
  model?: string | undefined;
  command?: SentCommand | undefined;
}

export interface PromptInput {
  /** chosen by the sender: sending it again is sending it once */
  promptId?: string | undefined;
  /** empty or left out only with a command or attachments */
  text?: string | undefined;
  command?: CommandUse | undefined;
  /** who works on it, where it starts a run */
  agent?: string | undefined;
  /** what they work with, as provider/model, where it starts a run */
  model?: string | undefined;
  /** hashes of uploaded attachments */
  attachments?: readonly string[] | undefined;
  delivery?: Delivery | undefined;
  /** false: it enters the conversation and starts no run */
  reply?: boolean | undefined;
  /** the only run that a steer may enter */
  expectedRunId?: string | null | undefined;
  /** still queued then: `failed: expired` */
  expiresAt?: number | null | undefined;
  /** in milliseconds */
  maxRunTime?: number | null | undefined;
  /** of its run and of every prompt that the run sends to other sessions */
  budget?: BudgetInput | null | undefined;
  /** what a spent budget does: end the tree as `failed: budget`, or ask people for more */
  onBudget?: "fail" | "ask" | undefined;
}

export interface PromptPage {
  items: readonly Prompt[];
  /** pass it as `after` to get what follows; null at the end */
  cursor: string | null;
}

export interface Provider {
  name: string;
  /** disconnected: known, and not to be used */
  status: "connected" | "disconnected";
  /** where its key comes from; null when it has none */
  source: "environment" | "file" | "config" | null;
  protocol: "anthropic" | "openai" | "google" | "compatible";
  baseUrl: string;
  /** masked */
  key: string | null;
  defaultModel: string | null;
}

export interface ProviderList {
  items: readonly Provider[];
  /** what runs use when neither they nor their directory name one */
  model: string | null;
  /** those that the directory's config says something of, which nobody has trusted */
  untrusted: readonly string[];
}

export interface ProviderTest {
  works: boolean;
  problem: string | null;
  /** as far as it lists them */
  models: readonly string[];
}

export interface Readiness {
  status: "ready";
}

export type Reason = "sessionCancel" | "promptCancel" | "queueCleared" | "interrupt" | "promoted" | "force" | "parentCancel" | "runEnded" | "deleted" | "expired" | "runTime" | "budget" | "dailyCap" | "monthlyCap" | "tokenCap" | "stepLimit" | "crashLoop" | "interrupted" | "refused" | "agentError" | "badKey" | "noQuota" | "brokenWorkspace" | "modelGone" | "contextTooLong" | "contentFilter" | "providerError" | "stalled" | "loop";

export interface Receipt {
  cancelId: string;
  /** the highest acceptSeq that it covers */
  mark: number | null;
  covered: readonly ({
    promptId: string;
    acceptSeq: number;
    was: "queued" | "steering" | "running" | "takenIn";
    runId: string | null;
  })[];
  /** ids of exclusive work that it ended */
  work: readonly string[];
  /** live descendants that the covered run waits for, at any depth */
  children: readonly ({
    sessionId: string;
    promptId: string;
  })[];
  /** all other live descendants; named always, covered only with `tree` */
  background: readonly ({
    sessionId: string;
    promptId: string;
  })[];
  tree: boolean;
}

export interface Reset {
  cursor: string;
}

export interface RestartInput {
  /** the project folder, as an absolute path */
  directory: string;
  /** maintenance waits for runs; force cancels those that it would wait for */
  mode?: "maintenance" | "force" | undefined;
}

export interface ResultContent {
  text: string;
}

export interface RevertInput {
  /** chosen by the sender: sending it again undoes once */
  workId?: string | undefined;
  /** also files that others have changed since */
  overwrite?: boolean | undefined;
}

export interface RevertPlan {
  files: readonly ({
    path: string;
    /** the run made the file: undoing that removes it */
    removes: boolean;
    /** why undoing the run would undo more than the run */
    conflict: string | null;
    diff: string;
  })[];
  /** what else the run did; nothing is known of the files that it changed */
  unknown: readonly string[];
  /** sessions that are undone on their own */
  background: readonly string[];
}

export type Role = "observe" | "propose" | "prompt" | "admin";

export interface Run {
  sessionId: string;
  runId: string;
  /** where it began in the log */
  seq: number;
  /** suspended: it waits for a person, or to be taken over */
  status: "running" | "suspended" | "stopping" | "closing" | "ended";
  /** the prompt that started it, then those taken in */
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
  /** pass it as `after` to get what follows; null at the end */
  cursor: string | null;
}

export interface SentCommand {
  /** without the slash */
  name: string;
  /** what stood after its name */
  arguments: string;
  /** it came with the program: its text is for people, not for the model */
  builtIn?: true | undefined;
}

export interface Session {
  sessionId: string;
  directory: string;
  title: string | null;
  archived: boolean;
  /** the run that made it, for a child session */
  parent: {
    sessionId: string;
    runId: string;
  } | null;
  status: SessionStatus;
  /** the last event's place in its log */
  seq: number;
  /** how many prompts and works wait */
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
}

export interface SessionDetail {
  sessionId: string;
  directory: string;
  title: string | null;
  archived: boolean;
  /** the run that made it, for a child session */
  parent: {
    sessionId: string;
    runId: string;
  } | null;
  status: SessionStatus;
  /** the last event's place in its log */
  seq: number;
  /** how many prompts and works wait */
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
  /** in the order in which they start */
  queue: readonly ({
    kind: "prompt";
    promptId: string;
    acceptSeq: number;
    revision: number;
    /** the run that a steer waits to enter */
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
    /** the prompt that started it */
    startedBy: string;
    attempt: number;
    /** the process that executes it */
    owner: string | null;
    status: "running" | "stopping" | "closing";
    stage: "boundary" | "model" | "tools";
    step: number;
    /** the starting prompt, then those taken in */
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

/** a session as it was exported */
export type SessionDocument = Readonly<Record<string, unknown>>;

export interface SessionInput {
  /** chosen by the sender: creating it again answers the same session */
  sessionId?: string | undefined;
  /** the project folder, as an absolute path */
  directory: string;
  title?: string | null | undefined;
  /** of all its prompts and of every prompt that their runs send to other sessions */
  budget?: BudgetInput | null | undefined;
  /** what a spent budget does: end the tree as `failed: budget`, or ask people for more */
  onBudget?: "fail" | "ask" | undefined;
}

export interface SessionPage {
  items: readonly Session[];
  /** pass it as `after` to get what follows; null at the end */
  cursor: string | null;
}

export type SessionStatus = "idle" | "queued" | "running" | "asking" | "stopping" | "cutOff" | "working" | "held" | "deleted";

export interface SignInInput {
  /** the part of a link after # */
  code: string;
}

export interface SignedIn {
  /** sent by the page as x-holdfast-key; the cookie alone opens nothing */
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
  /** there was more; some of what came first is left out */
  cut: boolean;
}

export interface Status {
  version: string;
  /** null while this process has no lease */
  nodeId: string | null;
  /** milliseconds since 1970 */
  startedAt: number;
  state: "ready" | "draining";
  /** when active runs are handed over; null unless the server was told to stop */
  drainingUntil: number | null;
  /** runs that this process executes */
  running: readonly ({
    sessionId: string;
    runId: string;
  })[];
  /** lanes that wait for a place */
  waiting: number;
  /** directories of such lanes that are not on this node: they wait for one that has them */
  absent: readonly ({
    directory: string;
    waiting: number;
  })[];
  /** holds back the commands that agents run on this node */
  sandbox: {
    /** null: commands run without a sandbox */
    name: string | null;
    /** why there is no sandbox; null if there is one */
    problem: string | null;
  };
  /** what all sessions may spend in a day or month (UTC); empty unless configured */
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
    /** null until it has a result */
    status: ToolStatus | null;
  })[];
}

export interface StepList {
  items: readonly Step[];
}

export interface StopInput {
  /** milliseconds that active runs get before they are handed over */
  deadline?: number | undefined;
}

export interface Stopping {
  status: "draining";
  deadline: number;
}

export interface TestInput {
  /** whose config counts too */
  directory?: string | undefined;
}

export interface Token {
  tokenId: string;
  /** browser: a signed-in browser, which ends with the token that it was made from */
  kind: "token" | "browser";
  /** the actor of what is done with it */
  name: string;
  role: Role;
  /** null: all directories */
  directories: readonly string[] | null;
  /** milliseconds since 1970 */
  createdAt: number;
  /** name of the token that made it */
  createdBy: string | null;
  /** of a browser: the token that it was made from */
  parentId: string | null;
  expiresAt: number | null;
  revokedAt: number | null;
  /** exact to a minute if several nodes serve */
  lastUsedAt: number | null;
}

export interface TokenInput {
  name: string;
  role: Role;
  /** it sees only sessions in and below these; all if left out */
  directories?: readonly string[] | null | undefined;
  /** it is refused from then on */
  expiresAt?: number | null | undefined;
}

export interface TokenList {
  items: readonly Token[];
}

export interface ToolContent {
  output: string;
  /** what the tool says beside its output, such as a diff */
  extra: unknown;
  /** what it shows the model besides */
  files?: readonly Attachment[] | undefined;
}

export type ToolStatus = "completed" | "failed" | "denied" | "interrupted" | "inDoubt";

export interface TrustInput {
  /** the project folder, as an absolute path */
  directory: string;
  /** of the powers that were looked at; refused when they are others by now. null: trust nothing */
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
  /** the background child whose outcome it brings */
  resultOf: {
    sessionId: string;
    promptId: string;
    outcome: Outcome;
  } | null;
  /** the agent that the sender has named */
  agent?: string | undefined;
  /** the model that the sender has named, as provider/model */
  model?: string | undefined;
  command?: SentCommand | undefined;
}

export interface Webhook {
  webhookId: string;
  url: string;
  events: readonly ("prompt.settled" | "ask.opened" | "ask.closed")[];
  /** null: all sessions */
  sessionId: string | null;
  /** those of the token that made it */
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
  /** the HTTP status of the last try */
  response: number | null;
  problem: string | null;
}

export interface WebhookDeliveryPage {
  items: readonly WebhookDelivery[];
  /** pass it as `after` to get what follows; null at the end */
  cursor: string | null;
}

export interface WebhookInput {
  /** 1 to 200 characters out of letters, digits and . _ : @ + = ~ - */
  webhookId?: string | undefined;
  url: string;
  events: readonly ("prompt.settled" | "ask.opened" | "ask.closed")[];
  /** all sessions if left out */
  sessionId?: string | null | undefined;
}

export interface WebhookPage {
  items: readonly Webhook[];
  /** pass it as `after` to get what follows; null at the end */
  cursor: string | null;
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
  /** left out: a spent budget fails the tree */
  onBudget?: "ask" | undefined;
  origin: {
    kind: "fork";
    sessionId: string;
    seq: number;
    /** the hash of a stored body, which `content` holds */
    transcript: string;
  } | {
    kind: "import";
    /** the hash of a stored body, which `content` holds */
    transcript: string;
  } | null;
  content: null;
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** left out: a spent budget fails the tree */
  onBudget?: "ask" | undefined;
  /** the budgets above it, to which its run is charged */
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
    /** the child still has live descendants */
    branch?: true | undefined;
  } | null;
  content: PromptContent | null;
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** the hash of a stored body, which `content` holds */
  body: string;
  content: PromptContent | null;
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** what its directory should have had and had not, such as an MCP server that is late */
  without?: readonly string[] | undefined;
  limits: {
    maxSteps: number;
    stopGrace: number;
    budget: Budget | null;
    /** left out: a spent budget fails the tree */
    onBudget?: "ask" | undefined;
    /** milliseconds that an ask for a higher limit stays open */
    askTime?: number | undefined;
  };
  deadline: number | null;
  fence: number;
  attempt: number;
  content: null;
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** what its directory should have had and had not, such as an MCP server that is late */
  without?: readonly string[] | undefined;
  formerGeneration: string | null;
  /** attempts counted so far, in all and since the last step; left out in old events */
  tries?: {
    total: number;
    sinceStep: number;
  } | undefined;
  fence: number;
  attempt: number;
  content: null;
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** attempts counted so far, in all and since the last step; left out in old events */
  tries?: {
    total: number;
    sinceStep: number;
  } | undefined;
  fence: number;
  attempt: number;
  content: null;
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  fence: number;
  attempt: number;
  content: null;
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** the hash of a stored body, which `content` holds */
  body: string;
  calls: readonly ({
    callId: string;
    name: string;
    repeatable: boolean;
  })[];
  usage: Usage;
  interrupted: boolean;
  fence: number;
  attempt: number;
  content: AnswerContent | null;
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  body: string | null;
  expiresAt: number | null;
  /** on an ask for a higher limit */
  budget?: {
    /** the account of a prompt's or session's budget */
    accountId: string;
    spent: Usage;
    limit: Budget;
    raise: Budget;
  } | undefined;
  fence: number;
  attempt: number;
  content: AskContent | null;
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** the account of a prompt's or session's budget */
  accountId: string;
  content: null;
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** the account of a prompt's or session's budget */
  accountId: string;
  content: null;
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  content: null;
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** what is to be done */
  content: unknown;
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** a text in `content` was cut; the whole is at …/events/{seq} */
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
  /** what became of it */
  content: unknown;
  /** a text in `content` was cut; the whole is at …/events/{seq} */
  truncated: boolean;
};

export interface Work {
  sessionId: string;
  workId: string;
  name: string;
  actor: Actor;
  status: "queued" | "running" | "stopping" | "ended";
  /** why it ended; only `done` has done all that was asked */
  cause: "done" | "cancelled" | "enforced" | "takeover" | "deleted" | null;
  input: unknown;
  /** what it said at its end */
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
  /** what the next run uses; null when nothing is loaded, or nothing can be */
  generation: Generation | null;
  /** earlier ones that runs still use */
  retired: readonly Generation[];
  notices: readonly Notice[];
  /** why the last refresh failed: what was in use before it still is */
  problem: string | null;
  /** of runs that name none; null: the demo agent works */
  model: string | null;
  /** of prompts that name none */
  agent: string | null;
  agents: readonly ({
    name: string;
    description: string;
    /** null: the directory's */
    model: string | null;
    /** patterns of tools' names; null: all */
    tools: readonly string[] | null;
  })[];
  commands: readonly ({
    /** a prompt names it in `command`, people write /name */
    name: string;
    description: string;
    /** the file, or the MCP server, that it comes from */
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
  /** what the next run uses; null when nothing is loaded, or nothing can be */
  generation: Generation | null;
  /** earlier ones that runs still use */
  retired: readonly Generation[];
  notices: readonly Notice[];
  /** why the last refresh failed: what was in use before it still is */
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
      /** `cursor` of the page before; from the beginning if left out */
      after?: string | undefined;
      /** how many at most; 100 if left out */
      limit?: number | undefined;
      /** the project folder, as an absolute path */
      directory?: string | undefined;
      /** in title, directory and id, whatever the case */
      search?: string | undefined;
      /** false: without archived ones; true: only those */
      archived?: boolean | undefined;
      /** only those that are doing this; may be given more than once */
      status?: readonly ("idle" | "queued" | "running" | "asking" | "stopping" | "cutOff" | "working" | "held")[] | undefined;
    };
    body: undefined;
    answer: SessionPage;
  };
  /** Create a session from an exported document */
  "POST /v1/sessions/import": {
    params: {};
    query: {
      /** of the new session */
      sessionId?: string | undefined;
      /** where it will work; that of the document if left out */
      directory?: string | undefined;
    };
    body: SessionDocument;
    answer: SessionDetail;
  };
  /** Get a session with what waits and what runs in it */
  "GET /v1/sessions/{sessionId}": {
    params: { sessionId: string };
    query: {};
    body: undefined;
    answer: SessionDetail;
  };
  /** Rename a session, or archive it */
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
  /** Create a session that begins with this one's messages up to a place */
  "POST /v1/sessions/{sessionId}/fork": {
    params: { sessionId: string };
    query: {};
    body: ForkInput;
    answer: SessionDetail;
  };
  /** List the sessions that this one's runs have made */
  "GET /v1/sessions/{sessionId}/children": {
    params: { sessionId: string };
    query: {
      /** `cursor` of the page before; from the beginning if left out */
      after?: string | undefined;
      /** how many at most; 100 if left out */
      limit?: number | undefined;
    };
    body: undefined;
    answer: SessionPage;
  };
  /** Read a session's messages, oldest first */
  "GET /v1/sessions/{sessionId}/messages": {
    params: { sessionId: string };
    query: {
      /** `cursor` of the page before; from the beginning if left out */
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
  /** Send a prompt */
  "POST /v1/sessions/{sessionId}/prompts": {
    params: { sessionId: string };
    query: {
      /** seconds to wait for the outcome, up to the server's limit (60); answers the entry as it is by then */
      wait?: number | undefined;
    };
    body: PromptInput;
    answer: Prompt;
  };
  /** List a session's prompts in the order in which they were accepted */
  "GET /v1/sessions/{sessionId}/prompts": {
    params: { sessionId: string };
    query: {
      /** `cursor` of the page before; from the beginning if left out */
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
      /** seconds to wait for the outcome, up to the server's limit (60); answers the entry as it is by then */
      wait?: number | undefined;
    };
    body: undefined;
    answer: Prompt;
  };
  /** Edit a prompt that still waits */
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
  /** Run a queued prompt now: it goes first, and the active run stops */
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
      /** chosen by the sender: sending it again answers the same receipt */
      cancelId?: string | undefined;
    };
    body: undefined;
    answer: Receipt;
  };
  /** Cancel all prompts of a session that are unsettled now */
  "POST /v1/sessions/{sessionId}/cancel": {
    params: { sessionId: string };
    query: {};
    body: CancelInput;
    answer: Receipt;
  };
  /** Cancel what waits, and leave the active run alone */
  "POST /v1/sessions/{sessionId}/queue/clear": {
    params: { sessionId: string };
    query: {};
    body: ClearInput;
    answer: Receipt;
  };
  /** List what keeps new runs from starting */
  "GET /v1/sessions/{sessionId}/holds": {
    params: { sessionId: string };
    query: {};
    body: undefined;
    answer: HoldList;
  };
  /** Hold a session: prompts are accepted, no run starts */
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
  /** List a session's runs in the order in which they started */
  "GET /v1/sessions/{sessionId}/runs": {
    params: { sessionId: string };
    query: {
      /** `cursor` of the page before; from the beginning if left out */
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
  /** List a run's steps with their calls */
  "GET /v1/sessions/{sessionId}/runs/{runId}/steps": {
    params: { sessionId: string; runId: string };
    query: {};
    body: undefined;
    answer: StepList;
  };
  /** Show what undoing a run's changes to files would do */
  "GET /v1/sessions/{sessionId}/runs/{runId}/revert": {
    params: { sessionId: string; runId: string };
    query: {};
    body: undefined;
    answer: RevertPlan;
  };
  /** Undo a run's changes to files */
  "POST /v1/sessions/{sessionId}/runs/{runId}/revert": {
    params: { sessionId: string; runId: string };
    query: {
      /** seconds to wait for the outcome, up to the server's limit (60); answers the entry as it is by then */
      wait?: number | undefined;
    };
    body: RevertInput;
    answer: Work;
  };
  /** Get exclusive work, such as a revert, or wait for its end */
  "GET /v1/sessions/{sessionId}/work/{workId}": {
    params: { sessionId: string; workId: string };
    query: {
      /** seconds to wait for the outcome, up to the server's limit (60); answers the entry as it is by then */
      wait?: number | undefined;
    };
    body: undefined;
    answer: Work;
  };
  /** List a session's asks */
  "GET /v1/sessions/{sessionId}/asks": {
    params: { sessionId: string };
    query: {
      /** `cursor` of the page before; from the beginning if left out */
      after?: string | undefined;
      /** how many at most; 100 if left out */
      limit?: number | undefined;
      /** true: only those that still wait for an answer */
      open?: boolean | undefined;
    };
    body: undefined;
    answer: AskPage;
  };
  /** List the open asks of all sessions */
  "GET /v1/asks": {
    params: {};
    query: {
      /** `cursor` of the page before; from the beginning if left out */
      after?: string | undefined;
      /** how many at most; 100 if left out */
      limit?: number | undefined;
    };
    body: undefined;
    answer: AskPage;
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
      /** the id of the last event that was seen, or for one session its seq; `now`: only what is to come */
      after?: string | undefined;
      /** false: without deltas and snapshots */
      deltas?: boolean | undefined;
      /** false: end when all that is in the log has been sent */
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
  /** Download a file that an event names */
  "GET /v1/sessions/{sessionId}/events/{seq}/files/{hash}": {
    params: { sessionId: string; seq: number; hash: string };
    query: {};
    body: undefined;
    answer: Response;
  };
  /** Follow all sessions: in order within each */
  "GET /v1/events": {
    params: {};
    query: {
      /** the id of the last event that was seen, or for one session its seq; `now`: only what is to come */
      after?: string | undefined;
      /** false: without deltas and snapshots */
      deltas?: boolean | undefined;
      /** false: end when all that is in the log has been sent */
      follow?: boolean | undefined;
    };
    body: undefined;
    answer: Response;
  };
  /** Upload an attachment, to be referred to by its hash */
  "POST /v1/attachments": {
    params: {};
    query: {
      /** a file name, for people and for the model */
      name?: string | undefined;
    };
    body: Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | string;
    answer: Attachment;
  };
  /** Download what was uploaded, while no prompt has to keep it */
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
  /** List the directories that are open in this process, and who uses what */
  "GET /v1/workspaces": {
    params: {};
    query: {};
    body: undefined;
    answer: WorkspaceList;
  };
  /** See what runs in a directory have to work with */
  "GET /v1/workspace": {
    params: {};
    query: {
      /** the project folder, as an absolute path */
      directory: string;
    };
    body: undefined;
    answer: Workspace;
  };
  /** List refreshes and closes, the latest first */
  "GET /v1/maintenance": {
    params: {};
    query: {
      /** only those; all if left out */
      status?: "requested" | "deferred" | "completed" | "failed" | undefined;
      /** only those that are about this directory */
      directory?: string | undefined;
      /** `cursor` of the page before; from the beginning if left out */
      after?: string | undefined;
      /** how many at most; 100 if left out */
      limit?: number | undefined;
    };
    body: undefined;
    answer: MaintenancePage;
  };
  /** Load directories anew, or close them, without taking anything away from a run */
  "POST /v1/maintenance": {
    params: {};
    query: {};
    body: MaintenanceInput;
    answer: MaintenanceAnswer;
  };
  /** Get a refresh or close, or wait until it has ended */
  "GET /v1/maintenance/{actionId}": {
    params: { actionId: string };
    query: {
      /** seconds to wait for the outcome, up to the server's limit (60); answers the entry as it is by then */
      wait?: number | undefined;
    };
    body: undefined;
    answer: MaintenanceAction;
  };
  /** Wait no longer: cancel the runs that an action waits for */
  "POST /v1/maintenance/{actionId}/force": {
    params: { actionId: string };
    query: {};
    body: undefined;
    answer: MaintenanceAnswer;
  };
  /** List whom models are asked of, with masked keys */
  "GET /v1/providers": {
    params: {};
    query: {
      /** whose config counts too */
      directory?: string | undefined;
    };
    body: undefined;
    answer: ProviderList;
  };
  /** Connect a provider, for every directory's next runs */
  "POST /v1/providers/{provider}/connect": {
    params: { provider: string };
    query: {};
    body: ConnectInput;
    answer: MaintenanceAnswer;
  };
  /** Disconnect a provider: running work keeps it to its end, unless it is forced */
  "POST /v1/providers/{provider}/disconnect": {
    params: { provider: string };
    query: {};
    body: DisconnectInput;
    answer: MaintenanceAnswer;
  };
  /** See whether a provider's key works, by one cheap call */
  "POST /v1/providers/{provider}/test": {
    params: { provider: string };
    query: {};
    body: TestInput;
    answer: ProviderTest;
  };
  /** List a directory's MCP servers and how they are */
  "GET /v1/mcp": {
    params: {};
    query: {
      /** the project folder, as an absolute path */
      directory: string;
    };
    body: undefined;
    answer: McpServerList;
  };
  /** Start one MCP server anew for the next runs */
  "POST /v1/mcp/{server}/restart": {
    params: { server: string };
    query: {};
    body: RestartInput;
    answer: MaintenanceAnswer;
  };
  /** Read a config's file, and what is wrong with it */
  "GET /v1/config": {
    params: {};
    query: {
      /** project if left out */
      scope?: "project" | "user" | undefined;
      /** the project; not needed for the user's config */
      directory?: string | undefined;
    };
    body: undefined;
    answer: ConfigFile;
  };
  /** Write a config's file; nothing is written that could not be loaded */
  "PATCH /v1/config": {
    params: {};
    query: {};
    body: ConfigInput;
    answer: MaintenanceAnswer;
  };
  /** Let the commands, servers and keys of a project's config count, as they are now */
  "POST /v1/config/trust": {
    params: {};
    query: {};
    body: TrustInput;
    answer: MaintenanceAnswer;
  };
  /** List webhooks */
  "GET /v1/webhooks": {
    params: {};
    query: {
      /** `cursor` of the page before; from the beginning if left out */
      after?: string | undefined;
      /** how many at most; 100 if left out */
      limit?: number | undefined;
    };
    body: undefined;
    answer: WebhookPage;
  };
  /** Have settled prompts and asks sent to an address */
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
  /** Remove a webhook */
  "DELETE /v1/webhooks/{webhookId}": {
    params: { webhookId: string };
    query: {};
    body: undefined;
    answer: undefined;
  };
  /** See what was sent, and what became of it */
  "GET /v1/webhooks/{webhookId}/deliveries": {
    params: { webhookId: string };
    query: {
      /** `cursor` of the page before; from the beginning if left out */
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
  /** List tokens, without their secrets */
  "GET /v1/tokens": {
    params: {};
    query: {};
    body: undefined;
    answer: TokenList;
  };
  /** Make a token with a role, for all directories or for some */
  "POST /v1/tokens": {
    params: {};
    query: {};
    body: TokenInput;
    answer: NewToken;
  };
  /** Revoke a token: it is refused from now on */
  "DELETE /v1/tokens/{tokenId}": {
    params: { tokenId: string };
    query: {};
    body: undefined;
    answer: Token;
  };
  /** See who this token is and what it may do */
  "GET /v1/me": {
    params: {};
    query: {};
    body: undefined;
    answer: Me;
  };
  /** Make a link that opens the web page, once */
  "POST /v1/link": {
    params: {};
    query: {};
    body: undefined;
    answer: Link;
  };
  /** Sign a browser in with the code of a link, once */
  "POST /v1/sign-in": {
    params: {};
    query: {};
    body: SignInInput;
    answer: SignedIn;
  };
  /** See what the server is doing */
  "GET /v1/status": {
    params: {};
    query: {};
    body: undefined;
    answer: Status;
  };
  /** List the nodes on the store, with the lanes that each owns */
  "GET /v1/nodes": {
    params: {};
    query: {};
    body: undefined;
    answer: NodeList;
  };
  /** Drain the server and stop it */
  "POST /v1/stop": {
    params: {};
    query: {};
    body: StopInput;
    answer: Stopping;
  };
  /** The process answers */
  "GET /healthz": {
    params: {};
    query: {
      /** made up by the client: `proof` is made from it */
      nonce?: string | undefined;
    };
    body: undefined;
    answer: Health;
  };
  /** The server takes requests */
  "GET /readyz": {
    params: {};
    query: {};
    body: undefined;
    answer: Readiness;
  };
  /** Metrics in the Prometheus format */
  "GET /metrics": {
    params: {};
    query: {};
    body: undefined;
    answer: Response;
  };
}
