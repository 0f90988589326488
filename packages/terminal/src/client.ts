import { Refused } from "@holdfast/sdk";
import type { AnswerInput, Holdfast, Workspace } from "@holdfast/sdk";
import type { ClientOptions, ConnectedServer, Connection } from "./client-options.ts";
import { createCompletion } from "./commands/completion.ts";
import type { RunningShell } from "./commands/shell.ts";
import { draw } from "./draw.ts";
import { failureText } from "./failure-text.ts";
import type { Overlay } from "./layout.ts";
import { Notifier } from "./notification.ts";
import type { AskDialog } from "./panels/ask-dialog.ts";
import { AskFocus } from "./panels/ask-focus.ts";
import { leaveAlternate, Pager } from "./panels/pager.ts";
import type { PagerOptions } from "./panels/pager.ts";
import { Picker } from "./panels/picker.ts";
import type { PickerOptions } from "./panels/picker.ts";
import { PromptEditor } from "./panels/prompt-editor.ts";
import type { Editing } from "./panels/prompt-editor.ts";
import { createLook, hasColours } from "./screen/look.ts";
import type { Look, Theme } from "./screen/look.ts";
import { PlainScreen } from "./screen/plain-screen.ts";
import { Screen } from "./screen/screen.ts";
import { oneLine, printable, wrap } from "./screen/text.ts";
import { ContextWindows } from "./session/context-use.ts";
import { destinationNow, endedNote } from "./session/destination.ts";
import type { Destination } from "./session/destination.ts";
import { Family } from "./session/family.ts";
import { Mode } from "./session/mode.ts";
import { Outbox } from "./session/outbox.ts";
import { ProviderOffers } from "./session/provider-offers.ts";
import { ServerClock } from "./session/server-clock.ts";
import { SessionAgent } from "./session/session-agent.ts";
import { openSessionView } from "./session/session-view.ts";
import type { OpenAsk, SessionView } from "./session/session-view.ts";
import { takeNews } from "./session/take-news.ts";
import { loadHighlight, noHighlight } from "./transcript/highlight.ts";
import type { Highlight } from "./transcript/highlight.ts";
import { createTranscript } from "./transcript/transcript.ts";
import type { Transcript, TranscriptOptions } from "./transcript/transcript.ts";

/** Minimum milliseconds between two paints. */
const frameTime = 16;
/** Milliseconds between two paints while only the clock changes. */
const tickTime = 250;
const hintTime = 4_000;

/**
 * The terminal client: the session on the screen, and all actions of the user. Keys arrive through `keys.ts`, and
 * events through the session view. Every change ends with a paint.
 */
export class Client {
  readonly directory: string;
  readonly screen: Screen | PlainScreen;
  readonly editor: PromptEditor;
  readonly options: ClientOptions;
  readonly asking = new AskFocus({
    isFree: () => this.editor.getText() === "" && this.overlay === null,
    onChange: () => this.changed(),
  });
  readonly outbox = new Outbox({
    destination: () => this.destination(),
    onChange: () => this.changed(),
    onFailure: (error, text) => {
      this.fail(error);
      if (text !== null) this.giveBack(text, "Not sent");
    },
  });
  look: Look;
  theme: Theme;
  highlight: Highlight = noHighlight;
  holdfast: Holdfast | null = null;
  wake: ConnectedServer["wake"] = () => Promise.resolve();
  family: Family | null = null;
  view: SessionView | null = null;
  workspace: Workspace | null = null;
  connection: Connection = "connecting";
  /** Name of this client's token, to tell this user's actions from those of others. */
  own: string | null = null;
  /** Model for the next prompts. Null: the default of the directory. */
  model: string | null = null;
  /** Model and mode for the next prompts of an external (hosted) agent. Null: the agent keeps its own. */
  agentModel: string | null = null;
  agentMode: string | null = null;
  readonly mode = new Mode(this);
  readonly agent = new SessionAgent(this);
  readonly offers = new ProviderOffers((error) => this.fail(error));
  readonly contextWindows: ContextWindows;
  hint: string | null = null;
  overlay: Overlay | null = null;
  /** Id of the selected queue item while the queue panel has the focus. */
  queueSelection: string | null = null;
  editing: Editing | null = null;
  /** The command that runs in the user's own shell. */
  shell: RunningShell | null = null;
  /** The prompts that the last stop or withdrawal of this client has cancelled, for /put-back. */
  cancelled: { readonly sessionId: string; readonly promptIds: readonly string[] } | null = null;
  readonly notifier = new Notifier(this);
  readonly clock = new ServerClock();
  isClosed = false;
  /** Whether another program uses the terminal. */
  isLent = false;
  readonly #connected = Promise.withResolvers<void>();
  #transcript: Transcript = createTranscript();
  #painting: NodeJS.Timeout | null = null;
  #paintedAt = 0;
  #ticking: NodeJS.Timeout | null = null;
  #hinting: NodeJS.Timeout | null = null;

  constructor(options: ClientOptions) {
    this.options = options;
    this.directory = options.directory;
    this.theme = options.theme;
    this.look = createLook(options.theme, hasColours(options.environment));
    const { output } = options;
    this.screen = options.isPlain ? new PlainScreen(output) : new Screen(output);
    this.contextWindows = new ContextWindows(this.directory, () => this.changed());
    const { screen } = this;
    this.editor = new PromptEditor(this.look, {
      requestRender: () => this.changed(),
      get rows() {
        return screen.rows;
      },
    });
    this.editor.onChange = () => this.changed();
    this.editor.setAutocompleteProvider(createCompletion(this));
  }

  get transcript(): Transcript {
    return this.#transcript;
  }

  get isBusy(): boolean {
    return (this.view?.detail?.active ?? null) !== null;
  }

  /** Open permission requests and questions for this user: first those of the session, then those of its sub-agents. */
  get asks(): readonly OpenAsk[] {
    return [...(this.view?.asks ?? []), ...(this.family?.asks ?? [])];
  }

  transcriptOptions(isWhole: boolean): TranscriptOptions {
    const { look, own } = this;
    const hidden = isWhole ? new Set<string>() : this.outbox.notes;
    return { look, own, columns: this.screen.columns, highlight: this.highlight, isWhole, hidden };
  }

  async loadHighlight(): Promise<void> {
    this.highlight = await loadHighlight(this.look);
  }

  /** Loads earlier prompts, so that the arrow keys can recall them. */
  async loadHistory(): Promise<void> {
    const entries = await this.options.history.load();
    for (const entry of entries.slice(0, 100).toReversed()) this.editor.addToHistory(entry);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.look = createLook(theme, hasColours(this.options.environment));
    this.editor.setLook(this.look);
    void this.loadHighlight().then(() => this.changed());
  }

  /** Shows a message in the status line for a moment. */
  say(text: string): void {
    this.hint = oneLine(text);
    if (this.#hinting !== null) clearTimeout(this.#hinting);
    this.#hinting = setTimeout(() => {
      this.hint = null;
      this.changed();
    }, hintTime);
    this.changed();
  }

  /** Prints a remark of the client itself above the live region. */
  remark(text: string, tone: "plain" | "bad" | "warn" = "plain"): void {
    const paint = { plain: this.look.dim, bad: this.look.bad, warn: this.look.warn }[tone];
    const rows = wrap(printable(text), this.screen.columns - 2);
    this.screen.print([
      "",
      ...rows.map((row, index) => paint(index === 0 ? `■ ${row}` : `  ${row}`)),
    ]);
    this.changed();
  }

  /** Prints an address on one line, which the terminal wraps by itself: a copy of it has no line breaks. */
  remarkAddress(address: string): void {
    this.screen.print([printable(address).replaceAll("\n", "")]);
    this.changed();
  }

  fail(error: unknown): void {
    this.remark(failureText(error), "bad");
  }

  /** Puts a text that the server has not taken into the editor. If the editor is not empty, only names the text. */
  giveBack(text: string, failure: "Not sent" | "Not saved"): void {
    if (this.editor.getText() === "") this.editor.setText(text);
    else this.remark(`${failure}: ${oneLine(text)}\n↑ in an empty editor recalls it`, "warn");
  }

  /** Schedules a paint. Several changes in quick succession are painted together. */
  changed(): void {
    if (this.#painting !== null || this.isClosed) return;
    const wait = Math.max(0, this.#paintedAt + frameTime - performance.now());
    this.#painting = setTimeout(() => {
      this.#painting = null;
      this.paint();
    }, wait);
  }

  paint(): void {
    if (this.isClosed || this.isLent || this.overlay?.kind === "pager") return;
    this.#paintedAt = performance.now();
    if (this.view !== null) {
      const { conversation, inFlight } = this.view;
      this.screen.print(
        this.#transcript.next(conversation, inFlight, this.transcriptOptions(false)),
      );
    }
    this.asking.show(this.asks[0]);
    draw(this);
    this.#tick();
  }

  /** Repaints regularly while an elapsed time is on the screen. */
  #tick(): void {
    if (!this.isBusy || this.#ticking !== null) return;
    this.#ticking = setTimeout(() => {
      this.#ticking = null;
      this.changed();
    }, tickTime);
  }

  /** Opens a session. Its latest events are printed below the text that is already on the screen. */
  open(sessionId: string): void {
    const { holdfast } = this;
    const isShown = this.view?.handle.sessionId === sessionId && !this.view.isEnded;
    if (holdfast === null || isShown) return;
    this.view?.close();
    this.offers.make(sessionId);
    this.#transcript = createTranscript();
    this.asking.show(undefined);
    this.queueSelection = null;
    this.mode.forget();
    this.agent.forget();
    this.family?.setRoot(sessionId);
    this.view = openSessionView(holdfast, sessionId, {
      onChange: () => this.changed(),
      onNews: (event) => takeNews(this, event),
      onReset: () => {
        this.#transcript = createTranscript();
        this.remark("The session's history was replaced and is shown again", "warn");
      },
      onEnd: (error) => {
        this.fail(error);
        this.remark(endedNote, "warn");
      },
    });
    this.notifier.markShown();
    this.changed();
  }

  /** Called when the client is connected. Sends the prompts that were typed before. */
  connected({ holdfast, offer, wake }: ConnectedServer): void {
    this.holdfast = holdfast;
    this.wake = wake;
    this.offers.connect(offer);
    this.family = new Family(holdfast, this);
    this.#connected.resolve();
    this.changed();
  }

  /** Closes the shown session. The next prompt creates a new one. */
  startNew(): void {
    this.view?.close();
    this.view = null;
    this.mode.forget();
    this.agent.forget();
    this.family?.setRoot(null);
    this.asking.show(undefined);
    this.#transcript = createTranscript();
    this.remark("New session: it starts with your next prompt");
  }

  /** Returns the destination of a text that is typed now. */
  destination(): Destination {
    return destinationNow(this, this.#connected.promise);
  }

  /** Runs an action on a session, by default the current one. If the action fails, prints the error. */
  async act(work: (view: SessionView) => Promise<unknown>, view = this.view): Promise<void> {
    if (view === null) return this.say("There is no session yet: send a prompt first");
    await this.wake();
    try {
      await work(view);
      view.refresh();
    } catch (error) {
      this.fail(error);
    }
    this.changed();
  }

  async answer(dialog: AskDialog, answer: AnswerInput): Promise<void> {
    this.asking.hasKeys = false;
    const { holdfast } = this;
    if (holdfast === null) return;
    await this.act(async () => {
      try {
        await holdfast.session(dialog.ask.sessionId).answer(dialog.ask.askId, answer);
      } catch (error) {
        if (!(error instanceof Refused) || error.code !== "askClosed") throw error;
        this.family?.closeAsk(dialog.ask.sessionId, dialog.ask.askId);
        this.say("Another client has already answered");
      }
    });
  }

  /** Shows a list to choose from. */
  pick<Value>(options: Omit<PickerOptions<Value>, "onClose">): Picker<Value> {
    const picker = new Picker<Value>({
      ...options,
      onClose: this.#closeOverlay,
      onChoose: (value) => {
        this.#closeOverlay();
        options.onChoose(value);
      },
    });
    this.overlay = { kind: "picker", picker };
    this.changed();
    return picker;
  }

  /** Shows a long text on the alternate screen, or prints it in screen-reader mode. */
  page(options: Omit<PagerOptions, "output" | "look" | "onClose">): void {
    const { output, isPlain } = this.options;
    if (isPlain) {
      this.screen.print([options.title, ...options.lines(this.screen.columns)]);
      options.onEnd?.();
      return this.changed();
    }
    this.overlay = new Pager({ ...options, output, look: this.look, onClose: this.#closeOverlay });
  }

  readonly #closeOverlay = (): void => {
    this.overlay = null;
    this.changed();
  };

  /** Lets the user edit a text in place of the draft. Enter saves it. */
  edit(editing: Editing): void {
    this.editing = editing;
    this.editor.label = editing.label;
    this.editor.setText(editing.text);
    this.changed();
  }

  /** Ends the edit and restores the draft. */
  endEdit(): void {
    if (this.editing === null) return;
    this.editor.label = "";
    this.editor.setText(this.editing.draft);
    this.editing = null;
    this.changed();
  }

  /** Stops all timers, closes the session view and erases the live region. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const timer of [this.#painting, this.#ticking, this.#hinting]) {
      if (timer !== null) clearTimeout(timer);
    }
    this.asking.close();
    this.shell?.stop();
    if (this.overlay?.kind === "pager") this.options.output.write(leaveAlternate);
    this.view?.close();
    this.family?.close();
    this.screen.clear();
  }
}
