import { ApiError } from "../../../src/server/errors.ts";

/** The code of the refusal; "none" if the call succeeds. */
export async function refusal(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
  return "none";
}
