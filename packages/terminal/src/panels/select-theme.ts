import type { SelectListTheme } from "@earendil-works/pi-tui/dist/components/select-list.js";
import type { Look } from "../screen/look.ts";

export function selectTheme(look: Look): SelectListTheme {
  return {
    selectedPrefix: look.accent,
    selectedText: look.accent,
    description: look.dim,
    scrollInfo: look.dim,
    noMatch: look.dim,
  };
}
