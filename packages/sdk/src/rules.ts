import { call } from "./call.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type { RememberedRule, RememberedRuleList, Routes } from "./types.gen.ts";

/** A directory, and optionally one of its sessions. */
export type RulesPlace = Routes["GET /v1/rules"]["query"];

/**
 * Permission rules that answers to permission requests have stored.
 *
 * @example
 * const { items } = await holdfast.rules.list({ directory: process.cwd() });
 */
export interface Rules {
  /** Lists the rules of a directory. With a session, includes the rules of that session. */
  list(place: RulesPlace & CallOptions): Promise<RememberedRuleList>;
  /** Removes a rule and returns the remaining rules. */
  revoke(
    rule: RulesPlace & Pick<RememberedRule, "scope" | "action" | "pattern"> & CallOptions,
  ): Promise<RememberedRuleList>;
}

export function rulesOf(transport: Transport): Rules {
  return {
    list: ({ signal, patience, ...query }) =>
      call(transport, "GET /v1/rules", { query, signal, patience }),
    revoke: ({ signal, patience, ...body }) =>
      call(transport, "POST /v1/rules/revoke", { body, signal, patience }),
  };
}
