import { Refused } from "@holdfast/sdk";

/** Describes an error for people: what happened, and what to do. */
export function failureText(error: unknown): string {
  if (error instanceof Refused && error.code === "unknownRoute") {
    return "The server does not support this, because it is older than this client. Update Holdfast on the server's machine and restart the server: holdfast server stop";
  }
  return error instanceof Error ? error.message : String(error);
}
