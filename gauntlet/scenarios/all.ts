import type { Scenario } from "../scenario.ts";
import { askScenarios } from "./asks.ts";
import { cancelScenarios } from "./cancel.ts";
import { changeScenarios } from "./changes.ts";
import { crashScenarios } from "./crash.ts";
import { endingScenarios } from "./ending.ts";
import { processScenarios } from "./processes.ts";
import { steerScenarios } from "./steer.ts";
import { subscriberScenarios } from "./subscribers.ts";
import { toolScenarios } from "./tools.ts";
import { treeScenarios } from "./trees.ts";

export const scenarios: readonly Scenario[] = [
  ...endingScenarios,
  ...steerScenarios,
  ...cancelScenarios,
  ...crashScenarios,
  ...processScenarios,
  ...toolScenarios,
  ...treeScenarios,
  ...askScenarios,
  ...changeScenarios,
  ...subscriberScenarios,
];
