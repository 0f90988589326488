import { setMaxListeners } from "node:events";
import type { Principal } from "../ports.ts";
import type { Presented } from "./known-tokens.ts";
import { isSecretOf, newSecret, tokenIdOf } from "./token.ts";

/** Tokens of hosted agents. They exist only in memory, so no token outlives the process that created it. */
export interface AgentGrants {
  /** Creates a token with the role `propose` for one directory, valid until `close`. */
  open(grant: AgentGrant): OpenGrant;
  /** Returns the principal if the secret is a valid token of a hosted agent; otherwise null. */
  find(presented: Presented): Principal | null;
}

export interface AgentGrant {
  /** Name of the agent. */
  readonly agent: string;
  readonly directory: string;
}

export interface OpenGrant {
  readonly tokenId: string;
  readonly secret: string;
  close(): void;
}

export function createAgentGrants(): AgentGrants {
  const grants = new Map<string, { readonly hash: string; readonly principal: Principal }>();
  return {
    open: ({ agent, directory }) => {
      const { tokenId, secret, hash } = newSecret();
      const controller = new AbortController();
      // Avoid Node's warning: every waiting request of the token adds a listener.
      setMaxListeners(0, controller.signal);
      const principal: Principal = {
        tokenId,
        name: agent,
        role: "propose",
        directories: [directory],
        actor: { kind: "client", id: `agent/${agent}` },
        revoked: controller.signal,
        isAgent: true,
      };
      grants.set(tokenId, { hash, principal });
      return {
        tokenId,
        secret,
        close: () => {
          grants.delete(tokenId);
          controller.abort();
        },
      };
    },
    find: ({ kind, secret }) => {
      const found = kind === "token" ? grants.get(tokenIdOf(secret) ?? "") : undefined;
      return found !== undefined && isSecretOf(secret, found.hash) ? found.principal : null;
    },
  };
}
