import { call } from "./call.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type { NewToken, Token, TokenInput } from "./types.gen.ts";

/**
 * Access tokens. Needs the role `admin`.
 *
 * @example
 * const { secret } = await holdfast.tokens.create({ name: "ci", role: "prompt" });
 */
export interface Tokens {
  /** Creates a token. Only this answer contains the secret. */
  create(input: TokenInput & CallOptions): Promise<NewToken>;
  /** Lists tokens and signed-in browsers. */
  list(options?: CallOptions): Promise<readonly Token[]>;
  /** Revokes a token at once and ends its event streams. */
  revoke(tokenId: string, options?: CallOptions): Promise<Token>;
}

export function tokensOf(transport: Transport): Tokens {
  return {
    // No retry: a retry could create a second token, and the secret of the first would be lost.
    create: ({ signal, patience, ...body }) =>
      call(transport, "POST /v1/tokens", { body, signal, patience, repeatable: false }),
    list: async (options = {}) => (await call(transport, "GET /v1/tokens", options)).items,
    revoke: (tokenId, options = {}) =>
      call(transport, "DELETE /v1/tokens/{tokenId}", { params: { tokenId }, ...options }),
  };
}
