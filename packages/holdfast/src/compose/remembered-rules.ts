import type { RememberedRules, RememberedScope } from "../agent/permissions/remembered.ts";
import type { Rules, RulesPlace } from "../server/workspace-ports.ts";

/** Lets the HTTP routes list and remove remembered rules. */
export function rulesPort(open: () => Promise<RememberedRules>): Rules {
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
