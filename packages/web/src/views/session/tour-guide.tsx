import { createMemo, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { tourStage, tourStages } from "../../model/tour-stage.ts";
import { Link } from "../link.tsx";
import { useSession } from "./session-context.ts";

/** Explains what happens in the guided demo, while it happens. */
export function TourGuide(): JSX.Element {
  const open = useSession();
  const stage = createMemo(() => tourStage(open.conversation()));
  const place = () => tourStages.indexOf(stage()) + 1;
  const count = tourStages.length;
  return (
    <section class="tour" classList={{ crashed: stage() === "crashed" }}>
      <p class="tour-place">
        <span>{t().tour.step({ place: place(), count })}</span>
        <For each={tourStages}>
          {(_, index) => (
            <span class="tour-dot" classList={{ reached: index() < place() }} aria-hidden="true" />
          )}
        </For>
      </p>
      <div role="status">
        <h2>{t().tour.stages[stage()].title}</h2>
        <p>{t().tour.stages[stage()].text}</p>
      </div>
      <Show when={stage() === "done"}>
        <p class="buttons">
          <Link
            class="button small primary"
            to={{ page: "sessionTimeline", sessionId: open.sessionId }}
          >
            {t().tour.timeline}
          </Link>
          <Link class="button small" to={{ page: "home" }}>
            {t().tour.own}
          </Link>
        </p>
      </Show>
    </section>
  );
}
