import { describeError } from "../describe-error.ts";
import { rpcCodes, RpcError } from "../../base/json-rpc.ts";
import type { RpcFailure } from "../../base/json-rpc.ts";

/** Describes a failed request for the editor: a message for people and our error code. */
export function describeFailure(error: unknown): RpcFailure {
  if (error instanceof RpcError) {
    const { code, message, data } = error;
    return data === undefined ? { code, message } : { code, message, data };
  }
  const [, reason = "internal", message = ""] =
    /^holdfast: (\w+): (.*)$/s.exec(describeError(error).line) ?? [];
  return { code: codes.get(reason) ?? rpcCodes.internal, message, data: { reason } };
}

const codes: ReadonlyMap<string, number> = new Map([
  ["unknownSession", rpcCodes.notFound],
  ["deleted", rpcCodes.notFound],
  ["directory", rpcCodes.invalidParams],
  ["invalid", rpcCodes.invalidParams],
]);
