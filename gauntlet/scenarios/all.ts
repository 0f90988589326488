import type { Scenario } from "../scenario.ts";
import { cancelScenarios } from "./cancel.ts";
import { crashScenarios } from "./crash.ts";
import { endingScenarios } from "./ending.ts";
import { subscriberScenarios } from "./subscribers.ts";

export const scenarios: readonly Scenario[] = [
  ...endingScenarios,
  ...cancelScenarios,
  ...crashScenarios,
  ...subscriberScenarios,
];
