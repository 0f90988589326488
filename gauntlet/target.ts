/** A product under test, used only through its public interface. */
export interface Target {
  readonly name: string;
  /** Features of the target. A scenario that needs a missing feature is skipped, which is not a failure. */
  readonly offers: Offers;
  /**
   * True if another vendor's agent calls the model. Several calls for one prompt then count as one, because agents make
   * additional calls, for example to suggest the next prompt.
   */
  readonly isForeign?: boolean;
  /** Largest number of sessions that one scenario may open. Undefined: no limit. Set if a session is expensive. */
  readonly mostSessions?: number;
  start(setting: Setting): Promise<RunningTarget>;
}

export type Offer =
  /** A session accepts a prompt while it is still working on an earlier one. */
  | "queue"
  /** Each prompt gets its own run. */
  | "runs"
  | "cancel"
  /** Queued prompts can be withdrawn. */
  | "withdraw"
  /** A prompt can be sent into the active run. */
  | "steer"
  /** The sender of a prompt learns how it ended. */
  | "outcome"
  /** A client can find out later how a prompt ended. */
  | "lookup"
  /** The sender chooses a prompt's id, so that repeated requests count once. */
  | "promptIds"
  /** Sessions survive the process. */
  | "restart"
  /** An interrupted run continues when the process is back. */
  | "recover"
  /** Two processes can use the same data. */
  | "processes"
  /** Any client can follow a session. */
  | "subscribe"
  /** A disconnected follower can continue where it stopped. */
  | "resume"
  /** The model can run a command without asking a person. */
  | "commands"
  /** People are asked before a command runs, and any client may answer. */
  | "asks"
  /** A run can start a sub-agent and wait for it. */
  | "agents"
  /** A sub-agent can work in the background, and one cancel can stop all background sub-agents. */
  | "background"
  /** A prompt can have a token limit. */
  | "budget"
  /** The config of existing sessions can be changed at run time. */
  | "config"
  /** A provider's key can be changed at run time for existing sessions. */
  | "providers"
  /** Projects can be closed at run time, and their active runs continue to their end. */
  | "close"
  /** MCP servers can be used. */
  | "mcp";

/** For each feature: true if the target offers it, otherwise the reason why not. */
export type Offers = Readonly<Record<Offer, true | { readonly missing: string }>>;

export interface Setting {
  /**
   * Data directory of the target. It is empty at the first start. After a restart, the target gets the same directory
   * with its data.
   */
  readonly folder: string;
  /** Project directory of the sessions. */
  readonly directory: string;
  /** A model that speaks OpenAI's chat and responses protocols, and its name. */
  readonly model: { readonly address: string; readonly name: string };
  /** Whether the target asks a person for permission before a command runs. */
  readonly asks: boolean;
  /** Adds a remark about the tested target to the report. */
  readonly note?: (what: string) => void;
}

/** A running target. Scenarios limit how long they wait for it. */
export interface RunningTarget {
  createSession(): Promise<string>;
  /** Resolves with the prompt's id when the target acknowledges the prompt. */
  submit(sessionId: string, prompt: SentPrompt): Promise<string>;
  /** Sends a prompt into the active run. Resolves with its id when it is acknowledged. */
  steer(sessionId: string, text: string): Promise<string>;
  /** Cancels the active run and the queue. */
  cancel(sessionId: string): Promise<void>;
  /** Cancels the active run, the queue and the session's background work. */
  cancelTree(sessionId: string): Promise<void>;
  /** Submits a prompt and waits for its end, in the fastest way that the target has. */
  ask(sessionId: string, text: string): Promise<Ending>;
  /** Waits for the end of a prompt. */
  ending(prompt: PromptName, signal: AbortSignal): Promise<Ending>;
  /** The session's events after the given id, in order, until the signal aborts. */
  follow(target: FollowTarget): AsyncIterable<ReceivedEvent>;
  /** The session's raw event stream, and the text that marks its end. */
  watch(sessionId: string, signal: AbortSignal): Promise<Watched>;
  /** Ids of the session's open asks. */
  openAsks(sessionId: string): Promise<readonly string[]>;
  /**
   * Answers an ask. Throws `Refused` if the target refuses the answer, for example if another client has answered.
   */
  answer(ask: { sessionId: string; askId: string; verdict: "allow" | "deny" }): Promise<void>;
  /** Builds tool calls for the test model's answers: a shell command, a sub-agent, or a tool of an MCP server. */
  readonly calls: {
    command(line: string): WantedCall;
    agent(text: string): WantedCall;
    /** Requests a sub-agent that works in the background. */
    background(text: string): WantedCall;
    mcp(server: string, tool: string): WantedCall;
  };
  /** Changes the project's config. */
  configure(config: ProjectConfig): Promise<Change>;
  /** Changes the key that the model is called with. */
  connect(key: string): Promise<Change>;
  /** Reconnects an MCP server, if the target has a way to do so. */
  reconnect?(server: string): Promise<void>;
  /** Closes all open projects of the tested program, so that the program must load their configs again. */
  close(): Promise<Change>;
  /** Starts a second process on the same data. */
  another(): Promise<RunningTarget>;
  /** Process id, for measurements. */
  readonly pid: number;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Starts the tested program again, with the data from before. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface SentPrompt {
  readonly text: string;
  readonly promptId?: string;
  /** Token limit of the prompt, including its sub-agents. */
  readonly tokens?: number;
}

export interface ToolCall {
  readonly name: string;
  readonly namespace?: string;
  readonly input: unknown;
}

/** A tool call, or a function that finds it among the offered tool names. */
export type WantedCall = ToolCall | ((tools: readonly string[]) => ToolCall | Missing);

/** Reports that a target turned out not to have a feature. */
export interface Missing {
  readonly offer: Offer;
  readonly why: string;
}

/** A target turned out not to offer a feature that a scenario needs. */
export class NotOffered extends Error {
  readonly missing: Missing;
  constructor(missing: Missing) {
    super(missing.why);
    this.missing = missing;
  }
}

/** The target cannot be tested, so there is no result for it. */
export class NotStarted extends Error {}

export interface ProjectConfig {
  /** Instructions for the model in every call. */
  readonly words?: string;
  /** Start commands of MCP servers, by name. */
  readonly mcp?: Readonly<Record<string, readonly string[]>>;
}

/** A change that applies from the next run. */
export interface Change {
  /**
   * Resolves when the tested program no longer uses the old config or key; null if the program does not report this.
   */
  readonly ended: Promise<void> | null;
}

/** The target refused the request. It has not acknowledged the prompt, so the prompt needs no outcome. */
export class Refused extends Error {}

/**
 * Returns the body of a response. Throws `Refused` for client errors, `Error` for server errors.
 */
export async function accepted(path: string, response: Response): Promise<string> {
  const text = await response.text();
  if (response.ok) return text;
  const message = `${response.status} from ${path}: ${text.slice(0, 500)}`;
  throw response.status < 500 ? new Refused(message) : new Error(message);
}

export interface PromptName {
  readonly sessionId: string;
  readonly promptId: string;
}

export type Ending =
  | "completed"
  | "failed"
  | "cancelled"
  /** The target has been idle for some seconds without having answered the prompt. */
  | "unanswered";

export interface FollowTarget {
  readonly sessionId: string;
  readonly after: string | null;
  readonly signal: AbortSignal;
}

export interface Watched {
  readonly body: ReadableStream<Uint8Array>;
  readonly end: string;
}

/** An event that a subscriber received. */
export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
}
