// The program that the suite starts for each scenario. It only passes the task on: the client itself runs in the test.
import { connect } from "node:net";
import { text } from "node:stream/consumers";

const { env, argv } = process;
const socket = connect(Number(argv[2]), "127.0.0.1");
const task = {
  url: argv.at(-1),
  scenario: env["MCP_CONFORMANCE_SCENARIO"],
  context: JSON.parse(env["MCP_CONFORMANCE_CONTEXT"] ?? "{}"),
};
socket.end(JSON.stringify(task));
const answer = await text(socket);
console.log(answer);
process.exitCode = answer.trim() === "ok" ? 0 : 1;
