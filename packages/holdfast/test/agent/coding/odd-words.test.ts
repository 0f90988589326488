import assert from "node:assert/strict";
import { test } from "node:test";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import type { Reply } from "../../../../../gauntlet/model-server/script.ts";
import { openWorld } from "./world.ts";

for (const protocol of ["openaiChat", "openaiResponses", "anthropic", "google"] as const) {
  test(`no lone surrogate and no blank text is sent over ${protocol}`, async (t) => {
    const blank: Reply = {
      parts: [
        { text: "\n\n" },
        { call: { id: "b", name: "grep", input: { pattern: "x", include: "\ud83d" } } },
      ],
      finish: "calls",
    };
    const world = await openWorld(t, {
      protocol,
      // The line is cut in the middle of its last character.
      files: { "a.txt": `${"x".repeat(499)}😀😀\n` },
      script: inOrder(
        asks({ name: "grep", input: { pattern: "x" }, id: "a" }),
        blank,
        says("Half: \ud83d."),
        says("Done."),
      ),
    });
    await world.prompt("p1", { text: "Half: \ude00." });
    await world.outcome("p1");
    await world.prompt("p2");
    assert.deepEqual(await world.outcome("p2"), { ended: "completed", text: "Done." });
    const bodies = world.server.calls.map(({ body }) => JSON.stringify(body));
    assert.deepEqual(
      bodies.map((body) => [/\\ud[89a-f]/i.test(body), /"text":"(\\n)*"/.test(body)]),
      bodies.map(() => [false, false]),
    );
    assert.match(bodies[3] ?? "", /Half: \ufffd\..*x\ufffd \[\.\.\. line cut\].*Half: \ufffd\./s);
  });
}

for (const protocol of ["openaiChat", "openaiResponses", "anthropic"] as const) {
  test(`tool arguments that were cut off at the output limit are reported to the model as too long over ${protocol}`, async (t) => {
    const world = await openWorld(t, {
      protocol,
      script: inOrder(
        {
          parts: [{ call: { id: "a", name: "write", input: '{"path": "a.txt", "content": "abc' } }],
          finish: "length",
        },
        says("In two pieces, then."),
      ),
    });
    await world.prompt("p1");
    assert.equal((await world.outcome("p1")).text, "In two pieces, then.");
    const heard = world.server.calls[1]?.messages.flatMap(({ results }) => results);
    assert.match(
      heard?.[0]?.text ?? "",
      /reached the model's length limit .* several smaller calls/,
    );
  });
}
