import type { Notice } from "@holdfast/sdk";
import { printable } from "./printable.ts";

/** `file:line:column: severity: key: what is wrong`, as editors and people know it. */
export function noticeLine({ severity, file, line, column, key, message }: Notice): string {
  const place = [file, line, column].filter((part) => part !== null).join(":");
  const parts = [place, severity, key ?? "", message].filter((part) => part !== "");
  return printable(parts.join(": "));
}
