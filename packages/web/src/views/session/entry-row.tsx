import { createMemo, Match, Switch } from "solid-js";
import type { Accessor, JSX } from "solid-js";
import type { Entry } from "@holdfast/model/conversation.ts";
import { AskRecord } from "../asks/ask-record.tsx";
import { NoticeRow } from "./notice-row.tsx";
import { PromptRow } from "./prompt-row.tsx";
import { StepRow } from "./step-row.tsx";
import { useSession } from "./session-context.ts";

/** One entry of the conversation. The element is kept while its content changes. */
export function EntryRow(props: { entry: Accessor<Entry | null> }): JSX.Element {
  const open = useSession();
  const entry = createMemo(() => props.entry());
  const ofKind = <Kind extends Entry["kind"]>(kind: Kind) => {
    const known = entry();
    return known?.kind === kind ? narrowed<Kind>(known) : null;
  };
  return (
    <Switch>
      <Match when={ofKind("prompt")}>{(found) => <PromptRow prompt={found().prompt} />}</Match>
      <Match when={ofKind("step")}>{(found) => <StepRow step={found()} />}</Match>
      <Match when={ofKind("notice")}>{(found) => <NoticeRow entry={found()} />}</Match>
      <Match when={ofKind("ask")}>
        {(found) => <AskRecord ask={open.conversation().asks.get(found().askId) ?? null} />}
      </Match>
    </Switch>
  );
}

function narrowed<Kind extends Entry["kind"]>(entry: Entry): Extract<Entry, { kind: Kind }> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind was checked just before
  return entry as Extract<Entry, { kind: Kind }>;
}
