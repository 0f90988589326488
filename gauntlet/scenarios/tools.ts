import { statSync } from "node:fs";
import { extname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Scenario } from "../scenario.ts";
import { hasRun } from "./commands.ts";

// Scenarios in which a tool, agent or MCP server of a run hangs or crashes.

/** The MCP server has the file extension of this module: .ts in the repository, .js in the published package. */
const mcpServer = join(import.meta.dirname, `../mcp-server${extname(import.meta.filename)}`);

export const toolScenarios: readonly Scenario[] = [
  {
    name: "stuck tool",
    about: "A tool that does not end blocks the session forever, or survives the cancel.",
    needs: ["cancel", "outcome", "commands"],
    play: async (context) => {
      const { target, offers, stage, directory, submit, cancel, ending, withTimeout, expect } =
        context;
      const sessionId = await target.createSession();
      // The command ends when its directory is removed, even if the target leaves it running.
      const line = `trap '' TERM HUP INT; while [ -e "$PWD" ]; do echo beat >> stuck; sleep 0.1; done`;
      stage.want("stuck", target.calls.command(line));
      const stuck = await submit(sessionId, "stuck");
      await withTimeout("the start of the command", hasRun(context, "stuck"));
      context.note("the command is stuck");
      const behind = offers.withdraw === true ? await submit(sessionId, "behind") : null;
      await cancel(sessionId);
      // Send a prompt right after the cancel, if the target accepts prompts while a session is busy.
      const early = offers.queue === true ? await submit(sessionId, "after") : null;
      expect("the end of stuck", await ending(sessionId, stuck), "cancelled");
      if (behind !== null) {
        expect("the end of behind", await ending(sessionId, behind), "cancelled");
      }
      const after = early ?? (await submit(sessionId, "after"));
      expect("the end of after", await ending(sessionId, after), "completed");
      await withTimeout(
        "the end of the command",
        untilStill(join(directory, "stuck"), context.over),
      );
      expect("what the model was asked for", [...new Set(stage.served)], ["stuck", "after"]);
    },
  },
  {
    name: "cancel with another agent at work",
    about: "A run is cancelled, but its sub-agent continues or has no outcome.",
    needs: ["cancel", "outcome", "agents"],
    play: async ({ target, stage, submit, cancel, ending, withTimeout, expect }) => {
      const sessionId = await target.createSession();
      stage.want("parent", target.calls.agent(stage.prompt("child")));
      const child = stage.hold("child");
      const parent = await submit(sessionId, "parent");
      await withTimeout("the model's call for child", child.arrived);
      await cancel(sessionId);
      expect("the end of parent", await ending(sessionId, parent), "cancelled");
      await withTimeout("the end of the call for child", child.dropped);
      const after = await submit(sessionId, "after");
      expect("the end of after", await ending(sessionId, after), "completed");
      expect("what the model was asked", stage.served, ["parent", "child", "after"]);
    },
  },
  {
    name: "crashing MCP server",
    about: "An MCP server that crashes during a call breaks the run, or all other tools.",
    needs: ["outcome", "mcp"],
    play: async ({ target, stage, submit, ending, withTimeout, expect, note }) => {
      const command = [process.execPath, mcpServer];
      await withTimeout("the new config", target.configure({ mcp: { rough: command } }));
      const [sessionId, other] = [await target.createSession(), await target.createSession()];
      const beside = stage.hold("beside");
      const besideId = await submit(other, "beside");
      await withTimeout("the model's call for beside", beside.arrived);
      stage.want("crash", target.calls.mcp("rough", "crash"));
      const crash = await submit(sessionId, "crash");
      expect("the end of crash", await ending(sessionId, crash), "completed");
      note("the server has crashed");
      const echoes = async (name: string): Promise<boolean> => {
        stage.want(name, target.calls.mcp("rough", "echo"));
        const promptId = await submit(sessionId, name);
        expect(`the end of ${name}`, await ending(sessionId, promptId), "completed");
        const heard =
          stage
            .callsFor(name)
            .at(-1)
            ?.messages.flatMap(({ results }) => results) ?? [];
        return heard.at(-1)?.text.includes("echo from rough") ?? false;
      };
      let isBack = await echoes("again");
      if (!isBack && target.reconnect !== undefined) {
        note("reconnects the server");
        await withTimeout("the new connection", target.reconnect("rough"));
        isBack = await echoes("by-hand");
      }
      expect("whether the server's tools are back", isBack, true);
      beside.finish();
      expect("the end of beside", await ending(other, besideId), "completed");
    },
  },
];

/** Waits until a file no longer grows. Ends with the scenario. */
async function untilStill(file: string, signal: AbortSignal): Promise<void> {
  for (let before = -1, now = 0; before !== now; [before, now] = [now, statSync(file).size]) {
    await delay(500, undefined, { signal });
  }
}
