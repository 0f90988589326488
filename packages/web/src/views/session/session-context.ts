import { createContext, useContext } from "solid-js";
import type { OpenSession } from "../../state/open-session.ts";

export const SessionContext = createContext<OpenSession>();

/** The session that the component belongs to. */
export function useSession(): OpenSession {
  const open = useContext(SessionContext);
  if (open === undefined) throw new Error("this can only be shown in a session");
  return open;
}
