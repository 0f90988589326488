import type { Role } from "../contract/token.ts";
import { ApiError } from "./errors.ts";
import type { Principal } from "./ports.ts";

const rank: Readonly<Record<Role, number>> = { observe: 0, propose: 1, prompt: 2, admin: 3 };

/**
 * Throws if the principal's role is lower than `least`. `what` names the refused request, or the refused part of it, in
 * the message.
 */
export function expectRole(
  { role, name }: Pick<Principal, "role" | "name">,
  least: Role,
  what = "this request",
): void {
  if (rank[role] >= rank[least]) return;
  const message = `token ${name} has the role ${role}; ${what} needs the role ${least}`;
  throw new ApiError("forbidden", message, { details: { role, needed: least } });
}
