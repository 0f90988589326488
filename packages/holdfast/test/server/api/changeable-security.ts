import { localSecurity } from "../../../src/server/local-security.ts";
import type { Principal, Security } from "../../../src/server/ports.ts";

/** Security with one principal, which tests can change. */
export function changeableSecurity(): {
  security: Security;
  become: (fields: Partial<Principal>) => void;
} {
  const local = localSecurity();
  let fields: Partial<Principal> = {};
  const authenticate: Security["authenticate"] = async (request, source) => ({
    ...(await local.authenticate(request, source)),
    ...fields,
  });
  return {
    security: { ...local, authenticate },
    become: (next) => {
      fields = next;
    },
  };
}
