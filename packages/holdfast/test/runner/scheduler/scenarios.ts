import type { Scenario } from "./world.ts";

export interface NamedScenario extends Scenario {
  readonly name: string;
}

const one = { places: 1, perDirectory: 1, window: 10 };
const two = { places: 2, perDirectory: 1, window: 10 };

/** Small enough for every test run. */
export const quickScenarios: readonly NamedScenario[] = [
  {
    name: "signals",
    limits: one,
    directories: ["/a", "/b"],
    budget: { arrivals: 2, accepts: 1, lost: 1, hints: 1, staleScans: 1 },
  },
  {
    name: "a window that is too small",
    limits: { ...one, window: 2 },
    directories: ["/a", "/b", "/b"],
    budget: { arrivals: 3, staleScans: 1 },
  },
  {
    name: "loads and absent directories",
    limits: one,
    directories: ["/a", "/b"],
    budget: { arrivals: 2, loads: 1, absences: 1 },
  },
  {
    name: "two absent directories",
    limits: two,
    directories: ["/a", "/b", "/c"],
    budget: { arrivals: 3, absences: 2 },
  },
  {
    name: "prompts for a lane while its directory loads",
    limits: { ...one, places: 2, perDirectory: 1 },
    directories: ["/a", "/a"],
    budget: { arrivals: 3, loads: 1, hints: 1 },
  },
  {
    name: "an absent directory during a scan",
    limits: one,
    directories: ["/a", "/b"],
    budget: { arrivals: 2, absences: 1, staleScans: 1, polls: 1 },
  },
  {
    name: "lent places",
    limits: two,
    directories: ["/a", "/a", "/b"],
    budget: { arrivals: 3, lends: 1 },
  },
  {
    name: "lost leases and other nodes",
    limits: { ...two, perDirectory: 2 },
    directories: ["/a", "/b"],
    budget: { arrivals: 2, leaseLosses: 1, others: 1 },
  },
  {
    name: "prompts for runs of a lost lease",
    limits: { ...two, perDirectory: 2 },
    directories: ["/a", "/b"],
    budget: { arrivals: 3, leaseLosses: 1 },
  },
  {
    name: "timed changes",
    limits: one,
    directories: ["/a", "/b"],
    budget: { arrivals: 3, times: 1 },
  },
  {
    name: "timed changes that fill the window",
    limits: { ...one, window: 2 },
    directories: ["/a", "/b"],
    budget: { arrivals: 3, times: 2 },
  },
  {
    name: "exclusive work",
    limits: one,
    directories: ["/a", "/b"],
    budget: { arrivals: 2, works: 1, hints: 1 },
  },
  {
    name: "exclusive work of lanes in a window that is too small",
    limits: { ...one, window: 2 },
    directories: ["/a", "/b", "/b"],
    budget: { arrivals: 1, works: 2 },
  },
  {
    name: "exclusive work while a directory loads",
    limits: one,
    directories: ["/a", "/b"],
    budget: { arrivals: 2, works: 1, loads: 1 },
  },
  {
    name: "a drain",
    limits: one,
    directories: ["/a", "/b"],
    budget: { arrivals: 2, loads: 1, lends: 1, drains: 1 },
  },
];

/** For `npm run explore`: three lanes, two directories, two places, every outcome. */
export const fullScenarios: readonly NamedScenario[] = [
  {
    name: "lost signals and stale scans, three lanes",
    limits: { ...two, perDirectory: 2 },
    directories: ["/a", "/b", "/b"],
    budget: { arrivals: 3, accepts: 1, lost: 1, staleScans: 1 },
  },
  {
    name: "hints and polls, three lanes",
    limits: { ...two, perDirectory: 2 },
    directories: ["/a", "/b", "/b"],
    budget: { arrivals: 3, accepts: 1, hints: 1, polls: 1 },
  },
  {
    name: "a window of two, with failing scans",
    limits: { ...two, window: 2 },
    directories: ["/a", "/b", "/b"],
    budget: { arrivals: 3, lost: 1, staleScans: 1, scanFailures: 1 },
  },
  {
    name: "loads, accepts and absent directories",
    limits: two,
    directories: ["/a", "/b", "/b"],
    budget: { arrivals: 2, accepts: 1, loads: 2, absences: 1 },
  },
  {
    name: "lent slots, three lanes",
    limits: two,
    directories: ["/a", "/a", "/b"],
    budget: { arrivals: 3, lends: 2, hints: 1 },
  },
  {
    name: "lost leases, failures and other nodes",
    limits: { ...two, perDirectory: 2 },
    directories: ["/a", "/b"],
    budget: { arrivals: 3, leaseLosses: 1, breakdowns: 1, others: 1 },
  },
  {
    name: "timed changes and lost leases",
    limits: { ...two, perDirectory: 2 },
    directories: ["/a", "/b"],
    budget: { arrivals: 3, leaseLosses: 1, times: 2 },
  },
  {
    name: "timed changes in a window of two",
    limits: { ...one, window: 2 },
    directories: ["/a", "/b", "/b"],
    budget: { arrivals: 3, staleScans: 1, times: 1 },
  },
  {
    name: "exclusive work, three lanes",
    limits: two,
    directories: ["/a", "/b", "/b"],
    budget: { arrivals: 2, works: 1, hints: 1, absences: 1 },
  },
  {
    name: "exclusive work in a window of two",
    limits: { ...one, window: 2 },
    directories: ["/a", "/b", "/b"],
    budget: { arrivals: 3, works: 2 },
  },
  {
    name: "loads and hints, three lanes",
    limits: two,
    directories: ["/a", "/a", "/b"],
    budget: { arrivals: 3, loads: 2, hints: 1 },
  },
  {
    name: "two absent directories, with a load",
    limits: two,
    directories: ["/a", "/b", "/c"],
    budget: { arrivals: 3, absences: 2, loads: 1 },
  },
  {
    name: "lost leases and drains, three lanes",
    limits: { ...two, perDirectory: 2 },
    directories: ["/a", "/b", "/b"],
    budget: { arrivals: 3, leaseLosses: 1, drains: 1 },
  },
  {
    name: "a drain in everything",
    limits: two,
    directories: ["/a", "/b"],
    budget: { arrivals: 2, loads: 1, lends: 1, others: 1, leaseLosses: 1, drains: 1 },
  },
];
