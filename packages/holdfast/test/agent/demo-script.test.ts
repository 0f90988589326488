import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCall } from "../../src/agent/demo/call-instruction.ts";
import { parseScript } from "../../src/agent/demo/instruction.ts";
import type { Instruction } from "../../src/agent/demo/instruction.ts";

const say = (text: string, every = 0): Instruction => ({ type: "say", text, every });
const calls = (...instructions: string[]): Instruction => ({ type: "calls", calls: instructions });
const fail = (options: Partial<Extract<Instruction, { type: "fail" }>>): Instruction => ({
  type: "fail",
  once: false,
  reason: "agentError",
  retryIn: null,
  ...options,
});

test("the demo agent reads one instruction per line or between semicolons", () => {
  const cases: [text: string, script: readonly Instruction[]][] = [
    ["say hello; say bye slowly", [say("hello"), say("bye", 60)]],
    ["say a\n\n  say b  \n;", [say("a"), say("b")]],
    ["words 2 every 5ms", [say("word-1 word-2", 5)]],
    ["steps 2", [say("step 1 of 2"), say("step 2 of 2")]],
    ["think about it", [{ type: "think", text: "about it" }]],
    ["wait 2s; wait 20", waits(2_000, 20)],
    ["tokens 50; cost 0.5", [use(50, 0), use(0, 0.5)]],
    ["fail; fail once", [fail({}), fail({ once: true })]],
    ["fail badkey for 2s", [fail({ reason: "badKey", retryIn: 2_000 })]],
    ["stall; stubborn; stubborn 1s", stalls],
    [
      "block 5ms; flood 9",
      [
        { type: "block", milliseconds: 5 },
        { type: "flood", count: 9 },
      ],
    ],
    ["crash; crash once; help", [crash(false), crash(true), { type: "help" }]],
    [
      "crash run; crash run for 20ms",
      [
        { type: "crashRun", silence: 3_000 },
        { type: "crashRun", silence: 20 },
      ],
    ],
    [
      "tool read; append a.txt b; ask Why?",
      [call("tool read"), call("append a.txt b"), call("ask Why?")],
    ],
    ["child { say a; child { say b } }", [calls("child { say a; child { say b } }")]],
    [
      "parallel { tool a; child { tool b; tool c } }",
      [calls("tool a", "child { tool b; tool c }")],
    ],
    [
      "send other { say hi }; crash during append x y",
      [call("send other { say hi }"), call("crash during append x y")],
    ],
  ];
  assert.deepEqual(
    cases.map(([text]) => parseScript(text)),
    cases.map(([, script]) => script),
  );
});

test("the demo agent repeats instructions that it does not understand, and a text without instructions as a whole", () => {
  const texts = [
    "Fix it; then rest.",
    "say a; what else",
    "fail loudly",
    "wait forever",
    "tool",
    "parallel { say x }",
  ];
  assert.deepEqual(texts.map(parseScript), [
    [say("Fix it; then rest.")],
    [say("a"), say("what else")],
    [say("fail loudly")],
    [say("wait forever")],
    [say("tool")],
    [say("parallel { say x }")],
  ]);
});

test("a call's instruction states its action, whether people are asked and whether it crashes", () => {
  const plain = { asks: false, crashes: false };
  const cases: [text: string, call: ReturnType<typeof parseCall>][] = [
    ["tool edit a b", { kind: "tool", name: "edit", text: "a b", ...plain }],
    ["append f", { kind: "append", file: "f", line: "", ...plain }],
    ["ask Is it?", { kind: "ask", question: "Is it?", asks: true, crashes: false }],
    ["ask to append f x", { kind: "append", file: "f", line: "x", asks: true, crashes: false }],
    ["ask to leave", { kind: "ask", question: "to leave", asks: true, crashes: false }],
    ["print 20", { kind: "print", lines: 20, ...plain }],
    ["crash during tool a", { kind: "tool", name: "a", text: "", asks: false, crashes: true }],
    ["child say x", { kind: "child", text: "say x", ...plain }],
    ["background { a; b }", { kind: "background", text: "a; b", ...plain }],
    ["send s1 hi there", { kind: "send", sessionId: "s1", text: "hi there", ...plain }],
    ["send s1", null],
    ["say x", null],
    ["crash during lunch", null],
  ];
  assert.deepEqual(
    cases.map(([text]) => parseCall(text)),
    cases.map(([, call]) => call),
  );
});

const stalls: readonly Instruction[] = [
  { type: "stall" },
  { type: "stubborn", milliseconds: null },
  { type: "stubborn", milliseconds: 1_000 },
];

function waits(...times: number[]): Instruction[] {
  return times.map((milliseconds) => ({ type: "wait", milliseconds }));
}

function use(tokens: number, cost: number): Instruction {
  return { type: "use", tokens, cost };
}

function crash(once: boolean): Instruction {
  return { type: "crash", once };
}

function call(instruction: string): Instruction {
  return calls(instruction);
}
