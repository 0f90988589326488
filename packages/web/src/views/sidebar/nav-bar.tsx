import { For } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { Route } from "../../model/route.ts";
import { currentRoute } from "../../state/router.ts";
import { Icon } from "../../ui/icon.tsx";
import type { IconName } from "../../ui/icon.tsx";
import { Link } from "../link.tsx";

interface Place {
  readonly to: Route;
  readonly icon: IconName;
  readonly label: () => string;
}

const places: readonly Place[] = [
  { to: { page: "timeline" }, icon: "timeline", label: () => t().nav.timeline },
  { to: { page: "health" }, icon: "health", label: () => t().nav.health },
  { to: { page: "settings", section: "look" }, icon: "gear", label: () => t().nav.settings },
];

export function NavBar(props: { onNavigate: () => void }): JSX.Element {
  return (
    <nav class="nav-bar" aria-label={t().nav.label}>
      <For each={places}>
        {({ to, icon, label }) => (
          <Link
            to={to}
            onClick={() => props.onNavigate()}
            isCurrent={currentRoute().page === to.page}
          >
            <Icon name={icon} />
            <span>{label()}</span>
          </Link>
        )}
      </For>
    </nav>
  );
}
