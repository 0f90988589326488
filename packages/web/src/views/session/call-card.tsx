import { createMemo, createSignal, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { callKind, callTitle, knownExtra } from "@holdfast/model/call-title.ts";
import type { CallKind } from "@holdfast/model/call-title.ts";
import type { ChangeSize } from "@holdfast/model/ask-extra.ts";
import type { CallView } from "@holdfast/model/conversation.ts";
import { diffLines } from "@holdfast/model/diff-lines.ts";
import { callFilesPlace } from "@holdfast/model/file-place.ts";
import { hostedNote } from "@holdfast/model/hosted-note.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { DiffView } from "../../ui/diff-view.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { IconName } from "../../ui/icon.tsx";
import { Output } from "../../ui/output.tsx";
import { duration, now } from "../../ui/time.tsx";
import { AskRecord } from "../asks/ask-record.tsx";
import { Link } from "../link.tsx";
import { StatusMark } from "../status-mark.tsx";
import { sessions } from "../../state/sessions.ts";
import { shownTitle } from "../../state/shown-title.ts";
import { AttachmentList } from "./attachment-view.tsx";
import { useSession } from "./session-context.ts";
import { TodoList } from "./todo-panel.tsx";
import { wholeDiff, wholeText } from "./whole-text.ts";

const icons: Readonly<Record<CallKind, IconName>> = {
  command: "terminal",
  change: "pencil",
  look: "eye",
  web: "globe",
  task: "branch",
  list: "list",
  question: "ask",
  other: "tool",
};

/** Cards that the user has opened or closed, so that they stay so after scrolling. */
const chosen = new Map<string, boolean>();

/** A tool call with its input, status and output. */
export function CallCard(props: { call: CallView; output: string | null }): JSX.Element {
  const open = useSession();
  const kind = createMemo(() => callKind(props.call.name));
  const extra = createMemo(() => knownExtra(props.call.extra));
  const whole = wholeText(
    () => props.call.cutAt,
    () => props.call.output,
  );
  const isRunning = (): boolean =>
    props.call.status === "running" || props.call.status === "waiting";
  const isNotable = (): boolean =>
    ["failed", "inDoubt", "interrupted"].includes(props.call.status) ||
    props.call.files.length > 0 ||
    extra().diff !== null ||
    extra().todo !== null;
  const [choice, setChoice] = createSignal(chosen.get(props.call.callId) ?? null);
  const isOpen = (): boolean =>
    choice() ?? (isNotable() || (isRunning() && (props.output ?? "") !== ""));
  const toggle = (): void => {
    const next = !isOpen();
    chosen.set(props.call.callId, next);
    setChoice(next);
  };
  const ask = () => {
    const { askId } = props.call;
    return askId === null ? null : (open.conversation().asks.get(askId) ?? null);
  };
  const title = (): string => {
    const fromInput = callTitle(props.call.input);
    return fromInput === "" ? (props.call.intent ?? "") : fromInput;
  };
  const hostedText = (): string | null => {
    const { note } = hostedNote(props.call);
    if (note === null) return null;
    return typeof note === "string" ? t().calls.hosted[note] : visibleText(note.text);
  };
  const meanwhile = (): string | null => hostedNote(props.call).meanwhile;
  const took = (): string | null => {
    const { startedAt, endedAt } = props.call;
    if (startedAt === null) return null;
    if (endedAt !== null) return endedAt - startedAt < 100 ? null : duration(endedAt - startedAt);
    return now() - startedAt < 1_000 ? null : duration(now() - startedAt);
  };
  return (
    <section class={`call ${props.call.status}`} data-call={props.call.callId}>
      <button type="button" class="call-head" aria-expanded={isOpen()} onClick={toggle}>
        <span class="call-icon">
          <Icon name={icons[kind()]} size={14} />
        </span>
        <span class="call-name">{props.call.name}</span>
        <span class="call-title">{visibleText(title())}</span>
        <Show when={took()}>{(time) => <span class="call-time">{time()}</span>}</Show>
        <span class="call-status">{t().calls.status[props.call.status]}</span>
        <Icon name={isOpen() ? "chevronDown" : "chevronRight"} size={12} />
      </button>
      <Show when={hostedText()}>{(text) => <p class="call-hint">{text()}</p>}</Show>
      <Show when={meanwhile()}>
        {(text) => (
          <p class="call-hint">{t().calls.hosted.meanwhile({ text: visibleText(text()) })}</p>
        )}
      </Show>
      <Show when={isOpen()}>
        <div class="call-body">
          <Show when={props.call.status === "inDoubt"}>
            <p class="call-hint">{t().calls.inDoubtHint}</p>
          </Show>
          <Show when={props.call.status === "interrupted"}>
            <p class="call-hint">{t().calls.interruptedHint}</p>
          </Show>
          <Show when={extra().diff} fallback={<Input call={props.call} kind={kind()} />}>
            {(diff) => <CallDiff call={props.call} diff={diff()} change={extra().change} />}
          </Show>
          <Show when={extra().todo}>{(items) => <TodoList items={items()} />}</Show>
          <Show when={extra().diff === null && extra().todo === null}>
            <Show
              when={isRunning()}
              fallback={
                <Show
                  when={props.call.output !== ""}
                  fallback={<p class="quiet">{t().calls.noOutput}</p>}
                >
                  <Output
                    text={whole.text()}
                    label={t().calls.output}
                    loadWhole={whole.load()}
                    isTail={kind() === "command"}
                  />
                </Show>
              }
            >
              <Output text={props.output ?? ""} label={t().calls.output} isGrowing />
            </Show>
          </Show>
          <AttachmentList
            sessionId={open.sessionId}
            place={callFilesPlace(props.call)}
            files={props.call.files}
          />
          <Show when={extra().exitCode}>
            {(code) => <p class="quiet">{t().calls.exitCode({ code: code() })}</p>}
          </Show>
        </div>
      </Show>
      <Show when={props.call.child}>
        {(child) => (
          <Link class="child-link" to={{ page: "session", sessionId: child().sessionId }}>
            <Show when={sessions[child().sessionId]} fallback={<Icon name="branch" size={14} />}>
              {(session) => <StatusMark session={session()} />}
            </Show>
            {shownTitle(sessions[child().sessionId], t().conversation.openChild)}
            <Icon name="chevronRight" size={12} />
          </Link>
        )}
      </Show>
      <Show when={ask()}>{(known) => <AskRecord ask={known()} />}</Show>
    </section>
  );
}

/** The change of a file. The counts come from the server, because the stream may have cut the diff. */
function CallDiff(props: { call: CallView; diff: string; change: ChangeSize | null }): JSX.Element {
  const whole = wholeDiff(
    () => props.call.cutAt,
    () => props.diff,
  );
  const omitted = createMemo(() => {
    if (whole.load() === undefined || props.change === null) return 0;
    const { added, removed } = diffLines(props.diff);
    return Math.max(0, props.change.added + props.change.removed - added - removed);
  });
  return (
    <DiffView
      diff={whole.text()}
      path={callTitle(props.call.input)}
      counts={props.change}
      omitted={omitted()}
      // If the whole diff cannot be loaded, `load` itself shows the error, so ignore the error here.
      onWhole={() =>
        void whole
          .load()?.()
          .catch(() => {})
      }
    />
  );
}

/** Shows the input of the call, if its title does not contain all of it. */
function Input(props: { call: CallView; kind: CallKind }): JSX.Element {
  const text = createMemo(() => {
    const { input } = props.call;
    if (input === null || props.kind === "list") return "";
    if (props.kind === "command" && typeof input === "object" && "command" in input) {
      return String(input.command);
    }
    if (typeof input === "object" && Object.keys(input).length === 1) {
      const only: unknown = Object.values(input)[0];
      if (typeof only === "string") return only.includes("\n") ? only : "";
    }
    return JSON.stringify(input, null, 2);
  });
  return (
    <Show when={text() !== ""}>
      <div class="call-input">
        <Output text={text()} label={t().calls.input} />
      </div>
    </Show>
  );
}
