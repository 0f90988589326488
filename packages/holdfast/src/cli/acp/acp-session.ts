import { isEvent } from "@holdfast/sdk";
import type {
  Holdfast,
  SessionDetail,
  SessionHandle,
  SessionItem,
  SessionMode,
  WireEvent,
} from "@holdfast/sdk";
import { rpcCodes, RpcError } from "../../base/json-rpc.ts";
import type { Peer } from "../../base/json-rpc.ts";
import { isPassing } from "../terminal/view.ts";
import { createEditorAsks } from "./editor-asks.ts";
import type { EditorFeatures } from "./introduction.ts";
import { textBlock } from "./protocol.ts";
import type { SessionUpdate, StopReason } from "./protocol.ts";
import { SentPrompts } from "./sent-prompts.ts";
import type { NewMessage, NewPrompt } from "./sent-prompts.ts";
import { followSession } from "./session-follower.ts";
import type { SessionFollower } from "./session-follower.ts";
import { createTranslator } from "./translator.ts";
import type { Translator } from "./translator.ts";

interface AcpSessionOptions {
  readonly peer: Peer;
  readonly detail: Pick<SessionDetail, "sessionId" | "directory" | "mode" | "agent" | "seq">;
  /** Called when a client has set the mode of the session. */
  readonly onMode: () => void;
  /** Called when a client has set the agent of the session. */
  readonly onAgent: () => void;
  /** Called when a hosted agent may have reported other models, modes or commands, or another client's prompt ended. */
  readonly onReport: () => void;
  /** `reported`: report the events from before the session was opened. `known`: the editor already has them. */
  readonly past: "reported" | "known";
  readonly features: EditorFeatures;
  /** Returns the context window of a model in tokens. Null: unknown. */
  readonly windowOf: (model: string) => number | null;
  readonly onError: (error: unknown) => void;
}

/** A session that an editor has opened. The editor sees all events of the session, including those of other clients. */
export class AcpSession {
  readonly sessionId: string;
  readonly directory: string;
  readonly #options: AcpSessionOptions;
  readonly #session: SessionHandle;
  readonly #translator: Translator;
  readonly #prompts: SentPrompts;
  readonly #follower: SessionFollower;
  readonly #closing = new AbortController();
  #mode: SessionMode;
  #agent: string | null;
  /** True while the stream sends events that the editor already has. */
  #isSilent: boolean;
  /** Last sequence number of the log when the session was opened, or when a restored backup was noticed. */
  #openedSeq: number;

  constructor(holdfast: Holdfast, options: AcpSessionOptions) {
    const { peer, detail, past, features, windowOf, onError } = options;
    const { sessionId, directory } = detail;
    const { hasForms, hasTerminals } = features;
    const { signal } = this.#closing;
    this.sessionId = sessionId;
    this.directory = directory;
    this.#options = options;
    this.#session = holdfast.session(sessionId);
    this.#mode = detail.mode ?? "ask";
    this.#agent = detail.agent;
    this.#isSilent = past === "known";
    this.#openedSeq = detail.seq;
    const say = (update: SessionUpdate): void => this.say(update);
    const note = (text: string): void => this.note(text);
    const follow = (): void => this.#follower.follow();
    this.#prompts = new SentPrompts(this.#session, { note, follow, onError });
    const isOwn = (promptId: string): boolean => this.#prompts.has(promptId);
    this.#translator = createTranslator({ directory, hasTerminals, windowOf, say, isOwn });
    const { calls } = this.#translator;
    const idOf = (callId: string): string | null => calls.idOf(callId);
    const editor = { peer, hasForms, say, idOf };
    this.#follower = followSession(holdfast, {
      sessionId,
      signal,
      asks: createEditorAsks({ holdfast, sessionId, directory, ...editor, onError }),
      takeOrigin: past === "reported" ? (message) => this.#translator.origin(message) : null,
      take: (item) => this.#take(item),
      onRestored: (restored) => this.#restored(restored),
      onLost: (cause) => this.#prompts.lost(cause),
      onError,
    });
  }

  /** Resolves when everything in the log has been reported to the editor, or when the session was closed. */
  ready(): Promise<void> {
    return this.#follower.caughtUp();
  }

  /** Resolves when the prompt has ended. */
  async prompt(prompt: NewPrompt): Promise<StopReason> {
    await this.#catchUp();
    if (prompt.signal.aborted) return "cancelled";
    this.#follower.markSeen();
    return this.#prompts.prompt(prompt);
  }

  /**
   * Adds a message to the active run. If no run is active, sends nothing and returns false. Returns true for a cancelled
   * message, even if it was not sent.
   */
  steer(message: NewMessage): Promise<boolean> {
    return this.#prompts.steer(message, async () => {
      await this.#catchUp();
      const { runId } = await this.#session.get();
      if (runId === null) return false;
      this.#follower.markSeen();
      return true;
    });
  }

  /** Cancels the steered messages of this editor that have not joined a run. */
  cancelSteered(): void {
    this.#prompts.cancelSteered();
  }

  /** Resolves when all pending cancels have reached the server. The command waits for this before it exits. */
  cancelled(): Promise<unknown> {
    return this.#prompts.cancelled();
  }

  /** Returns the permission mode, even if another client has set it. */
  mode(): SessionMode {
    return this.#mode;
  }

  async setMode(mode: SessionMode): Promise<void> {
    await this.#session.setMode(mode);
    this.#learnMode(mode);
  }

  /** Returns the agent of the session, which any client may have set; null: the default agent of the directory. */
  agent(): string | null {
    return this.#agent;
  }

  say(update: SessionUpdate): void {
    if (this.#isSilent || this.#closing.signal.aborted) return;
    this.#options.peer.notify("session/update", { sessionId: this.sessionId, update });
  }

  /** Shows the person a text that is not part of the conversation. */
  note(text: string): void {
    this.say({ sessionUpdate: "agent_message_chunk", content: textBlock(`\n\n*${text}*\n\n`) });
  }

  /** Aborts when `close` is called. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Stops reporting to the editor. Prompts continue on the server; callers that wait for one get an error. */
  close(): void {
    this.#closing.abort();
    this.#prompts.close();
  }

  /**
   * Reads all events that are older than a new message, so that they are not reported as part of its answer. Follows the
   * session again if it could not be opened or its stream was lost.
   */
  async #catchUp(): Promise<void> {
    this.#follower.follow();
    await this.#follower.caughtUp();
    if (this.#closing.signal.aborted) throw closedHere();
  }

  #take(item: SessionItem): void {
    if (item.type === "live") this.#isSilent = false;
    else if (isPassing(item)) this.#translator.take(item);
    else if (isEvent(item)) this.#takeEvent(item);
  }

  /** Handles a restored backup. The editor cannot remove messages, so the person learns what to do. */
  #restored({ seq, mode, agent }: SessionDetail): void {
    this.#isSilent = false;
    this.#openedSeq = seq;
    this.note(restoredText);
    this.#learnMode(mode ?? "ask");
    this.#learnAgent(agent);
    this.#prompts.restored();
  }

  #takeEvent(event: WireEvent): void {
    this.#translator.take(event);
    if (event.seq > this.#openedSeq) this.#takeChange(event);
    if (event.type === "hold.placed") this.#prompts.paused();
    if (event.type === "prompt.settled") this.#prompts.settled(event);
  }

  /** Handles an event from after the session was opened. `detail` contains the changes from before. */
  #takeChange(event: WireEvent): void {
    if (event.type === "session.modeSet") this.#learnMode(event.mode);
    if (event.type === "session.agentSet") this.#learnAgent(event.agent);
    if (mayReport(event, this.#prompts)) this.#options.onReport();
  }

  #learnMode(mode: SessionMode): void {
    if (mode === this.#mode) return;
    this.#mode = mode;
    this.#options.onMode();
  }

  #learnAgent(agent: string | null): void {
    if (agent === this.#agent) return;
    this.#agent = agent;
    this.#options.onAgent();
  }
}

const restoredText =
  "The sessions were restored from a backup, which may not contain the last messages. Open the session again to see its messages.";

/**
 * True when a step of a hosted agent starts, because the agent sends its reports before its work, and when a prompt of
 * another client ends. After a prompt of the editor itself, the caller of `prompt` looks for changes.
 */
function mayReport(event: WireEvent, own: SentPrompts): boolean {
  if (event.type === "prompt.settled") return !own.has(event.promptId);
  return event.type === "step.opened" && event.within !== undefined;
}

function closedHere(): RpcError {
  const message =
    "the session was closed or loaded again in this editor before the message was sent; send it again";
  return new RpcError({ code: rpcCodes.internal, message });
}
