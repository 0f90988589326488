import morphdom from "morphdom";
import { createEffect, createMemo, Index, Match, Show, Switch } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { otherFootnoteHref } from "../model/footnotes.ts";
import { CodeBlock } from "./code-block.tsx";
import { growingBlocks, markdownBlocks } from "./markdown-blocks.ts";
import { Output } from "./output.tsx";

/** Maximum length of markdown. Longer texts are shown as plain text, because parsing them would be too slow. */
const longest = 200_000;

/** Shows an answer of a model. While it grows, only the changed parts of the page are updated. */
export function Markdown(props: { text: string; isGrowing?: boolean }): JSX.Element {
  const grown = growingBlocks();
  const blocks = createMemo(() => {
    if (props.text.length > longest) return [];
    return props.isGrowing === true ? grown(props.text) : markdownBlocks(props.text);
  });
  return (
    <div
      class="markdown"
      classList={{ growing: props.isGrowing === true }}
      onClick={(event) => followFootnote(event)}
    >
      <Show
        when={props.text.length <= longest}
        fallback={<Output text={props.text} label={t().calls.output} />}
      >
        <Index each={blocks()}>
          {(block) => (
            <Switch>
              <Match when={codeOf(block())}>
                {(code) => <CodeBlock code={code().code} language={code().language} />}
              </Match>
              <Match when={htmlOf(block())}>{(html) => <Html html={html()} />}</Match>
            </Switch>
          )}
        </Index>
      </Show>
    </div>
  );
}

/** Moves the focus to the other end of a footnote. It looks only in this answer, because names repeat in others. */
function followFootnote(event: MouseEvent & { currentTarget: HTMLElement }): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const other = otherFootnoteHref(link?.getAttribute("href") ?? null);
  if (other === null) return;
  event.preventDefault();
  const links = [...event.currentTarget.querySelectorAll("a")];
  links.find((each) => each.getAttribute("href") === other)?.focus();
}

type Block = ReturnType<typeof markdownBlocks>[number];

function codeOf(block: Block): Extract<Block, { kind: "code" }> | null {
  return block.kind === "code" ? block : null;
}

function htmlOf(block: Block): string | null {
  return block.kind === "html" ? block.html : null;
}

function Html(props: { html: string }): JSX.Element {
  const element = document.createElement("div");
  createEffect(() => {
    const next = document.createElement("div");
    // The HTML was sanitized when the markdown was converted.
    next.innerHTML = props.html;
    morphdom(element, next, { childrenOnly: true });
  });
  return element;
}
