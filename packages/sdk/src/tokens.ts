import { call } from "./call.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type { NewToken, Token, TokenInput } from "./types.gen.ts";

export interface Tokens {
  /** The secret in the answer is shown this once. */
  create(input: TokenInput & CallOptions): Promise<NewToken>;
  list(options?: CallOptions): Promise<readonly Token[]>;
  /** It is refused from now on, and its streams end. */
  revoke(tokenId: string, options?: CallOptions): Promise<Token>;
}

export function tokensOf(transport: Transport): Tokens {
  return {
    // Sent once: a second sending would make a second token, and the first one's secret is lost.
    create: ({ signal, patience, ...body }) =>
      call(transport, "POST /v1/tokens", { body, signal, patience, repeatable: false }),
    list: async (options = {}) => (await call(transport, "GET /v1/tokens", options)).items,
    revoke: (tokenId, options = {}) =>
      call(transport, "DELETE /v1/tokens/{tokenId}", { params: { tokenId }, ...options }),
  };
}
