import assert from "node:assert/strict";
import { connect } from "@holdfast/sdk";
import type { SessionHandle } from "@holdfast/sdk";
import { waitFor } from "../../../support/wait-for.ts";
import { describe, settledEvents } from "./scenarios.ts";
import type { VendorServer } from "./vendor-server.ts";
import { nextAsk, openVendorProject, settledAndReleased } from "./world.ts";
import type { Installing, Vendor } from "./vendor.ts";

/**
 * Runs two nodes on one PostgreSQL database, with separate home folders or with a shared one. Kills the node that runs the agent in the
 * middle of a turn, and returns what the other node does. Throws if a promise is broken.
 */
export async function takeOver(
  vendor: Vendor,
  options: {
    readonly install: Installing;
    readonly database: string;
    /** `shared`: both nodes use the same home folder, and so the same sessions of the agent. */
    readonly home: "own" | "shared";
  },
): Promise<string> {
  const project = await openVendorProject(vendor, options.install);
  try {
    const words = ["--store", options.database, "--lease", "5s", "--deadline", "200ms"];
    const owner = await project.serve("node-1", { words });
    const { sessionId } = await clientOf(owner).sessions.create({ directory: project.directory });
    const on = (node: VendorServer): SessionHandle => clientOf(node).session(sessionId);
    await on(owner).prompt("ask w-over\nwait w-over-go\nsay w-end", { promptId: "over" });
    await on(owner).prompt("say w-next", { promptId: "next" });
    const ask = await nextAsk(on(owner), "over");
    if (ask !== null) await on(owner).answer(ask.askId, { verdict: "allow" });
    await project.reached("w-over-go");
    if (ask !== null) await waitFor(() => project.acts().length === 1, { describe: "the command" });
    // The other node starts late, so that a busy machine does not make it take the run over before the kill.
    const other = await project.serve("node-2", {
      words,
      home: options.home === "shared" ? "node-1" : "node-2",
    });
    await project.loadable();
    const before = project.acts();
    await owner.kill();
    project.release("w-over-go");
    const session = on(other);
    // The scripted model repeats its command after an interruption, so the agent asks again.
    const again = await nextAsk(session, "over");
    assert.deepEqual(project.acts(), before, "the other node repeated a command without an answer");
    if (again !== null) await session.answer(again.askId, { verdict: "allow" });
    const end = await settledAndReleased(session, "over");
    const next = await settledAndReleased(session, "next");
    assert.equal(next.status, "completed", describe(next));
    assert.match(next.text ?? "", /w-next/);
    const allowed = again === null ? [] : ["w-over"];
    assert.deepEqual(project.acts(), [...before, ...allowed], "a command ran without an answer");
    assert.deepEqual(await settledEvents(session), ["over", "next"]);
    const outcome = end.reason === null ? end.status : `${end.status}: ${end.reason}`;
    return `${outcome}; the next prompt completes`;
  } finally {
    await project.close();
  }
}

function clientOf({ url, token }: VendorServer) {
  return connect({ url, token });
}
