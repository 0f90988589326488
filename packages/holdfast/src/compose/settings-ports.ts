import type { RememberedRules, RememberedScope } from "../agent/permissions/remembered.ts";
import type { ConfigFile } from "../contract/config-file.ts";
import type { AppOptions } from "../server/app.ts";
import type { Configs, Rules, RulesPlace } from "../server/workspace-ports.ts";
import type { Configs as ConfigStore } from "../workspace/config/configs.ts";
import { ConfigError } from "../workspace/config/read-config.ts";
import type { Setup } from "./setup.ts";
import { workspaceViews } from "./workspace-views.ts";

/** The parts of a setup that the HTTP routes use. */
export type SettingsPorts = Required<
  Pick<AppOptions, "workspaces" | "providers" | "configs" | "logins" | "editorServers" | "rules">
>;

export function settingsPorts(setup: Setup): SettingsPorts {
  return {
    workspaces: workspaceViews(setup.host, setup.redact),
    providers: setup.providers,
    logins: setup.logins,
    editorServers: setup.editorServers,
    rules: rulesPort(setup.remembered),
    configs: configViews(setup.configs),
  };
}

/** Adapts config files to the types of the API contract. */
function configViews(configs: ConfigStore): Configs {
  return {
    read: async (place) => {
      const directory = place.scope === "user" ? null : place.directory;
      const text = { scope: place.scope, ...(await configs.text(place)) };
      try {
        const { notices, powers } = await configs.read(directory);
        return { ...text, notices, powers: powersOf(place.scope, powers) };
      } catch (error) {
        // A config with errors is still returned, so that it can be fixed.
        if (!(error instanceof ConfigError)) throw error;
        const { notices, powers } = error;
        return { ...text, notices, powers: powers && powersOf(place.scope, powers) };
      }
    },
    save: (place, file) => configs.save(place, file),
    trust: (directory, digest) => configs.trust(directory, digest),
  };
}

type Powers = Awaited<ReturnType<ConfigStore["read"]>>["powers"];

function powersOf(scope: "user" | "project", powers: Powers): ConfigFile["powers"] {
  if (scope === "user") return null;
  const { digest, trusted, list } = powers;
  const items = list.map(({ key, file, line, summary }) => ({ key, file, line, summary }));
  return { digest, trusted, items };
}

/** Lets the HTTP routes list and remove remembered rules. */
function rulesPort(open: () => Promise<RememberedRules>): Rules {
  return {
    list: async (place) => {
      const remembered = await open();
      const found = await Promise.all(
        scopesOf(place).map(async (scope) => ({ scope, ...(await remembered.read(scope)) })),
      );
      const items = found.flatMap(({ scope, rules }) =>
        rules.map((rule) => ({ scope: scope.kind, ...rule })),
      );
      return { items, problems: found.flatMap(({ problem }) => problem ?? []) };
    },
    revoke: async (place, { scope, action, pattern }) => {
      const remembered = await open();
      for (const each of scopesOf(place)) {
        if (each.kind === scope) await remembered.remove(each, { action, pattern });
      }
    },
  };
}

/** Returns the scopes in the order in which their rules are evaluated: the project, then the session. */
function scopesOf({ directory, sessionId }: RulesPlace): readonly RememberedScope[] {
  const project = { kind: "project", directory } as const;
  return sessionId === null ? [project] : [project, { kind: "session", sessionId }];
}
