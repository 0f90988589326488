import { en } from "./en.ts";
import type { Text } from "./en.ts";

export const zh: Text = en;
