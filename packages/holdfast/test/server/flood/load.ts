import { createReadStream } from "node:fs";
import { request } from "node:http";

// A separate process, so that the cost of sending is not measured: sends each file as an import,
// all at once, and prints the answers.

const [url = "", token = "", ...files] = process.argv.slice(2);

async function send(file: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const sent = request(`${url}/v1/sessions/import`, { method: "POST", headers }, (answer) => {
    let text = "";
    answer
      .setEncoding("utf8")
      .on("data", (piece: string) => (text += piece))
      .once("end", () => resolve(`${answer.statusCode} ${text.slice(0, 100)}`));
  });
  sent.once("error", reject);
  createReadStream(file).pipe(sent);
  return promise;
}

await Promise.all(files.map(async (file) => console.log(await send(file).catch(String))));
