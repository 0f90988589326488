/** A product under test, reached only through what it offers to everybody. */
export interface Target {
  readonly name: string;
  /** A scenario that needs more than this is not offered, which is not a failure. */
  readonly offers: Offers;
  start(setting: Setting): Promise<RunningTarget>;
}

export type Offer =
  /** A busy session takes prompts. */
  | "queue"
  /** Each prompt gets a run of its own. */
  | "runs"
  | "cancel"
  /** What waits can be taken back. */
  | "withdraw"
  /** A prompt can be sent into the run at work. */
  | "steer"
  /** Whoever sent a prompt is told how it has ended. */
  | "outcome"
  /** Who asks later is told so too. */
  | "lookup"
  /** The sender names a prompt, so that sending it twice is sending it once. */
  | "promptIds"
  /** Sessions outlive the process. */
  | "restart"
  /** A run that was cut off is taken up again when the process is back. */
  | "recover"
  /** Two processes can work on the same data. */
  | "processes"
  /** Anybody can follow a session. */
  | "subscribe"
  /** Who follows can go on where they were cut off. */
  | "resume"
  /** The model can have a command run, and nobody is asked. */
  | "commands"
  /** People are asked before a command runs, and any client may answer. */
  | "asks"
  /** A run can have another agent do a part of its work, and waits for that. */
  | "agents"
  /** Such an agent can work in the background, and a cancel can cover all that does. */
  | "background"
  /** A prompt can have a limit of tokens. */
  | "budget"
  /** The config can be changed while it runs, for sessions that exist. */
  | "config"
  /** A provider's key can be changed while it runs, for sessions that exist. */
  | "providers"
  /** Projects can be closed while it runs, and runs that are at work in them go on to their end. */
  | "close"
  /** It uses MCP servers. */
  | "mcp";

/** What is offered; what is not, with the reason. */
export type Offers = Readonly<Record<Offer, true | { readonly missing: string }>>;

export interface Setting {
  /** For whatever it keeps; empty at first, and the same again after a restart. */
  readonly folder: string;
  /** The project that its sessions work in. */
  readonly directory: string;
  /** A model that speaks OpenAI's chat and responses protocols, and its name. */
  readonly model: { readonly address: string; readonly name: string };
  /** Whether somebody is to be asked before a command runs. */
  readonly asks: boolean;
  /** Told what the target says beyond what it is asked, for the report. */
  readonly note?: (what: string) => void;
}

/** One running target. Whatever it waits for is bounded by the scenario that asks. */
export interface RunningTarget {
  createSession(): Promise<string>;
  /** Resolves when the target acknowledges the prompt, with the id under which it knows it. */
  submit(sessionId: string, prompt: SentPrompt): Promise<string>;
  /** Sends a prompt into the run at work; resolves when it is acknowledged, with its id. */
  steer(sessionId: string, text: string): Promise<string>;
  /** Cancels all that the session is at and has waiting. */
  cancel(sessionId: string): Promise<void>;
  /** The same, and all that works for the session in the background. */
  cancelTree(sessionId: string): Promise<void>;
  /** Submits a prompt and waits for its end, in the quickest way that the target has. */
  ask(sessionId: string, text: string): Promise<Ending>;
  /** How the prompt has ended; waits for it. */
  ending(prompt: PromptName, signal: AbortSignal): Promise<Ending>;
  /** The session's events after the given id, in order, until the signal aborts. */
  follow(target: FollowTarget): AsyncIterable<Told>;
  /** The session's events as they come over the wire, and the characters by which its end is known. */
  watch(sessionId: string, signal: AbortSignal): Promise<Watched>;
  /** What people are asked by the session at this moment, each by the name under which it is answered. */
  openAsks(sessionId: string): Promise<readonly string[]>;
  /** Throws what is refused: that somebody else was quicker is one reason. */
  answer(ask: { sessionId: string; askId: string; verdict: "allow" | "deny" }): Promise<void>;
  /** How the model asks for a command, another agent's work, or the tool of an MCP server. */
  readonly calls: {
    command(line: string): WantedCall;
    agent(text: string): WantedCall;
    /** The same, without waiting for it. */
    background(text: string): WantedCall;
    mcp(server: string, tool: string): WantedCall;
  };
  /** Changes the project's config. */
  configure(config: ProjectConfig): Promise<Change>;
  /** From now on the model is to be called with this key. */
  connect(key: string): Promise<Change>;
  /** What a client can do about an MCP server that is gone, where there is something. */
  reconnect?(server: string): Promise<void>;
  /** Has everything freed that is open for projects. */
  close(): Promise<Change>;
  /** A second process on the same data. */
  another(): Promise<RunningTarget>;
  /** Its process, to be measured. */
  readonly pid: number;
  /** kill -9. */
  kill(): Promise<void>;
  /** Starts it again on what it has kept. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface SentPrompt {
  readonly text: string;
  readonly promptId?: string;
  /** The most that the prompt, and all that works for it, may use. */
  readonly tokens?: number;
}

export interface ToolCall {
  readonly name: string;
  readonly namespace?: string;
  readonly input: unknown;
}

/** A call, or how it is found among the names of the tools that the model is offered. */
export type WantedCall = ToolCall | ((tools: readonly string[]) => ToolCall | Missing);

/** What a target turned out not to offer. */
export interface Missing {
  readonly offer: Offer;
  readonly why: string;
}

/** A target turned out not to offer what a scenario needs. */
export class NotOffered extends Error {
  readonly missing: Missing;
  constructor(missing: Missing) {
    super(missing.why);
    this.missing = missing;
  }
}

export interface ProjectConfig {
  /** Told to the model with every call. */
  readonly words?: string;
  /** The commands that start MCP servers, by their names. */
  readonly mcp?: Readonly<Record<string, readonly string[]>>;
}

/** A change that the target has taken note of, so that the next run has it. */
export interface Change {
  /** Resolves when nothing of the state before it is left; null where the target does not tell. */
  readonly ended: Promise<void> | null;
}

/** The target said no, in order: nothing was acknowledged, so nothing is owed. */
export class Refused extends Error {}

/** An answer of an HTTP interface; what it does not accept is a refusal, what it cannot do a failure. */
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
  /** It has been at rest for seconds, and has said nothing of the prompt. */
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

/** An event as a subscriber was told it. */
export interface Told {
  readonly id: string;
  readonly type: string;
}
