import type { RuleList } from "../../contract/permission-rule.ts";
import type { ruleRoutes } from "../../contract/routes/rules.ts";
import type { Handlers } from "../handler.ts";
import type { Principal } from "../ports.ts";
import type { Rules, RulesPlace } from "../workspace-ports.ts";
import { expectSession, offered, unknownSession } from "./route-services.ts";
import type { RouteServices } from "./route-services.ts";

export interface RuleServices extends RouteServices {
  readonly rules: Rules | null;
}

export function ruleHandlers(services: RuleServices): Handlers<keyof typeof ruleRoutes> {
  const placeOf = async (
    principal: Principal,
    named: { directory: string; sessionId?: string | undefined },
  ): Promise<RulesPlace> => {
    const { sessionId = null } = named;
    const directory = await services.security.resolveDirectory(principal, named.directory);
    if (sessionId === null) return { directory, sessionId };
    const { state } = await expectSession(services.runtime, sessionId);
    if (state.directory !== directory) throw unknownSession(sessionId);
    return { directory, sessionId };
  };
  const list = (place: RulesPlace): Promise<RuleList> =>
    offered(services.rules, "remembered rules").list(place);
  return {
    listRules: async ({ query, principal }) => ({
      status: 200,
      body: await list(await placeOf(principal, query)),
    }),
    revokeRule: async ({ body, principal }) => {
      const place = await placeOf(principal, body);
      const { scope, action, pattern } = body;
      await offered(services.rules, "remembered rules").revoke(place, { scope, action, pattern });
      return { status: 200, body: await list(place) };
    },
  };
}
