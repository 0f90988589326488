import { createContext, useContext } from "solid-js";
import type { OpenSession } from "../../state/open-session.ts";

export const SessionContext = createContext<OpenSession>();

/** The session that the component belongs to. */
export function useSession(): OpenSession {
  const open = useContext(SessionContext);
  if (open === undefined) throw new Error("useSession must be called inside a session page");
  return open;
}
