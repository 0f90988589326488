import type { Scenario } from "../scenario.ts";
import { cancelScenarios } from "./cancel.ts";
import { changeScenarios } from "./changes.ts";
import { crashScenarios } from "./crash.ts";
import { endingScenarios } from "./ending.ts";
import { processScenarios } from "./processes.ts";
import { subscriberScenarios } from "./subscribers.ts";
import { toolScenarios } from "./tools.ts";

export const scenarios: readonly Scenario[] = [
  ...endingScenarios,
  ...cancelScenarios,
  ...crashScenarios,
  ...processScenarios,
  ...toolScenarios,
  ...changeScenarios,
  ...subscriberScenarios,
];
