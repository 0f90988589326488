import { createEffect, createSignal, For, onCleanup, Show } from "solid-js";
import type { JSX } from "solid-js";
import { CopyButton } from "./copy-button.tsx";
import { highlight } from "./highlight.ts";
import type { CodeToken } from "./highlight.ts";

/** Maximum length of highlighted code. Highlighting longer code would block the page. */
const longest = 40_000;

export function CodeBlock(props: { code: string; language: string }): JSX.Element {
  const [lines, setLines] = createSignal<readonly (readonly CodeToken[])[] | null>(null);
  createEffect(() => {
    const { code, language } = props;
    setLines(null);
    if (language === "" || code.length > longest) return;
    // Wait until the code stops changing before highlighting it.
    const timer = setTimeout(() => {
      void highlight(code, language).then((found) => {
        if (props.code === code) setLines(found);
      });
    }, 120);
    onCleanup(() => clearTimeout(timer));
  });
  return (
    <figure class="code-block">
      <figcaption>
        <span class="code-language">{props.language}</span>
        <CopyButton text={() => props.code} />
      </figcaption>
      <pre tabindex="0">
        <code>
          <Show when={lines()} fallback={props.code}>
            {(known) => (
              <For each={known()}>
                {(line, index) => (
                  <>
                    {index() > 0 ? "\n" : ""}
                    <For each={line}>{(token) => <span class={token.look}>{token.text}</span>}</For>
                  </>
                )}
              </For>
            )}
          </Show>
        </code>
      </pre>
    </figure>
  );
}
