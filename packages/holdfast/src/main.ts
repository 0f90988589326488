import { programVersion } from "./runner/export.ts";

// The composition root: it alone knows all the parts, and what is built out of them is offered here.

export { AgentFailure } from "./agent/agent.ts";
export type { AnswerBody, AskBody, CallRequest, IntentBody, ToolBody } from "./agent/message.ts";
export { modelVariables } from "./agent/model/known-providers.ts";
export type { ProviderName } from "./agent/model/known-providers.ts";
export type { PermissionRule } from "./agent/permissions/rule.ts";
export type { PermissionRequest } from "./agent/tools/tool.ts";
export type { LaneEvent, Receipt, ToolStatus } from "./kernel/event.ts";
export type { LedgerRow } from "./kernel/ledger.ts";
export { addUsage, noUsage } from "./kernel/state.ts";
export type { Hold, LaneState, Usage } from "./kernel/state.ts";
export { CommandRefused } from "./runner/command-refused.ts";
export type { Runtime } from "./runner/runtime.ts";
export type { RevertedFile, RevertPlan } from "./runner/revert.ts";
export { exportPieces, ledgerOf, programVersion as version } from "./runner/export.ts";
export { logOf } from "./runner/log.ts";
export type { RevertReport } from "./runner/revert-work.ts";
export { examine } from "./store/doctor.ts";
export type { Examination, Tally } from "./store/doctor.ts";
export { StoreError } from "./store/store-error.ts";
export type { Store, StoreReader } from "./store/store.ts";
export { connectedModels } from "./compose/agent.ts";
export type { ConnectedModels } from "./compose/agent.ts";
export { openRuntime, openWorkshop } from "./compose/embedded.ts";
export type { OpenedRuntime } from "./compose/embedded.ts";
export { defaultStore, openExistingStore, openReader } from "./compose/stores.ts";

const overview = `Holdfast ${programVersion()}: a runtime for coding-agent sessions that never loses a prompt.

There is no server to start yet. The command line works. Without a model a demo agent answers: it is
offline and does what the prompt says. To try it:

  npx holdfast run "say hello slowly"             stream an answer
  npx holdfast run "append notes.txt hello"       let a tool append a line to a file
  npx holdfast run "ask Is this fine?"            answer a question of the agent
  npx holdfast run "child { say I am a child }"   start a child session and wait for it
  npx holdfast run "say one; crash once; say two" kill the process; go on with --continue
  npx holdfast sessions                           what there is, newest first
  npx holdfast doctor                             check the store against every promise
  npx holdfast help                               all commands

For the coding agent, connect a model and say what is to be done:

  export ANTHROPIC_API_KEY=...                    or another's: npx holdfast models
  npx holdfast run "find out why the tests fail"
  npx holdfast revert                             put the files back that the last run changed

  node examples/custom-agent.ts                   an agent of your own, in some thirty lines (Node 24)

\`npm start -- run "..."\` does the same as \`npx holdfast run "..."\`.
docs/CLI.md has the commands and exit codes, docs/DEMO.md what the demo agent understands.
To work on it: npm test, npm run check; CONTRIBUTING.md says more.`;

if (import.meta.main) {
  const words = process.argv.slice(2);
  if (words.length === 0) console.log(overview);
  // Not awaited here: the command line is built out of this file, which has to be there first.
  else
    void import("./cli/program.ts").then(
      async ({ runCli }) => (process.exitCode = await runCli(words)),
    );
}
