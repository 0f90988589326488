import assert from "node:assert/strict";
import { after, test } from "node:test";
import { connect } from "@holdfast/sdk";
import { hideProgram } from "../../../../scripts/hide-program.ts";
import { needsSandbox } from "../support/needs-sandbox.ts";
import { openCli } from "./test-cli.ts";
import type { TestCli } from "./test-cli.ts";

const hidden = hideProgram("bwrap", process.env["PATH"] ?? "");
after(() => hidden.remove());

test("without bubblewrap, serve, status and doctor report that there is no sandbox", async (t) => {
  const cli = openCli(t, { PATH: hidden.path });
  const said = await reports(cli);
  const problem = "bubblewrap is not installed (Debian: apt install bubblewrap)";
  const text = `none: ${problem}. Commands of agents have the same access as you.`;
  assert.deepEqual(said, {
    start: text,
    status: `none: ${problem}`,
    api: { name: null, problem },
    doctor: text,
    json: { name: null, problem },
  });
});

test(
  "with a sandbox, serve, status and doctor report the name of the sandbox",
  needsSandbox,
  async (t) => {
    const sandbox = { name: "bwrap", problem: null };
    const [start, status, doctor] = ["bwrap", "bwrap", "bwrap"];
    assert.deepEqual(await reports(openCli(t)), {
      start,
      status,
      api: sandbox,
      doctor,
      json: sandbox,
    });
  },
);

/** The reports about the sandbox from each command. */
async function reports(cli: TestCli): Promise<Record<string, unknown>> {
  const { running, url, token } = await cli.serve();
  const [, start] = await running.matched(/ {2}sandbox {2}(.*)\n/);
  const [status, doctor, json] = await Promise.all([
    cli.run("server", "status"),
    cli.run("doctor"),
    cli.run("doctor", "--json"),
  ]);
  const { sandbox: api } = await connect({ url, token }).status();
  return {
    start,
    status: /^ {2}sandbox {2}(.*)$/m.exec(status.out)?.[1],
    api,
    doctor: /^[✓!] sandbox +(.*)$/m.exec(doctor.out)?.[1],
    json: JSON.parse(json.out).sandbox,
  };
}
