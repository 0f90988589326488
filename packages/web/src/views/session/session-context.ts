import { createContext, useContext } from "solid-js";
import type { OpenSession } from "../../state/open-session.ts";

export const SessionContext = createContext<OpenSession>();

/** Returns the session of the page that contains the component. */
export function useSession(): OpenSession {
  const open = useContext(SessionContext);
  if (open === undefined) throw new Error("useSession must be called inside a session page");
  return open;
}
