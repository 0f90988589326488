import { createEffect, For, Match, on, Suspense, Switch } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { SettingsSection } from "../../model/route.ts";
import { currentRoute } from "../../state/router.ts";
import { Link } from "../link.tsx";
import { PageHead } from "../page-head.tsx";
import { AccessSection } from "./access-section.tsx";
import { ConfigSection } from "./config-section.tsx";
import { LookSection } from "./look-section.tsx";
import { MaintenanceSection } from "./maintenance-section.tsx";
import { McpSection } from "./mcp-section.tsx";
import { NotificationsSection } from "./notifications-section.tsx";
import { ProvidersSection } from "./providers-section.tsx";
import { RulesSection } from "./rules-section.tsx";
import { visibleSections } from "./visible-sections.ts";
import { WebhooksSection } from "./webhooks-section.tsx";

export function SettingsPage(props: { onMenu: () => void }): JSX.Element {
  const section = (): SettingsSection => {
    const route = currentRoute();
    return route.page === "settings" ? route.section : "look";
  };
  let tabs: HTMLElement | undefined;
  createEffect(
    on([section, visibleSections], () => {
      const current = tabs?.querySelector("[aria-current]");
      current?.scrollIntoView({ block: "nearest", inline: "center" });
    }),
  );
  return (
    <section class="page">
      <PageHead title={t().settings.title} onMenu={props.onMenu} />
      <nav class="tabs" aria-label={t().settings.title} ref={tabs}>
        <For each={visibleSections()}>
          {(each) => (
            <Link to={{ page: "settings", section: each }} isCurrent={section() === each}>
              {t().settings.sections[each]}
            </Link>
          )}
        </For>
      </nav>
      <div class="page-body">
        {/* Without this boundary, a section that loads would detach the whole page, and the tabs would scroll back. */}
        <Suspense>
          <Switch>
            <Match when={section() === "look"}>
              <LookSection />
            </Match>
            <Match when={section() === "notifications"}>
              <NotificationsSection />
            </Match>
            <Match when={section() === "access"}>
              <AccessSection />
            </Match>
            <Match when={section() === "webhooks"}>
              <WebhooksSection />
            </Match>
            <Match when={section() === "rules"}>
              <RulesSection />
            </Match>
            <Match when={section() === "providers"}>
              <ProvidersSection />
            </Match>
            <Match when={section() === "mcp"}>
              <McpSection />
            </Match>
            <Match when={section() === "config"}>
              <ConfigSection />
            </Match>
            <Match when={section() === "maintenance"}>
              <MaintenanceSection />
            </Match>
          </Switch>
        </Suspense>
      </div>
    </section>
  );
}
