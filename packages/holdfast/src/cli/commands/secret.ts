import { CliError, exitCodes } from "../cli-error.ts";

/**
 * Reads a key from a source that other users cannot see: an environment variable, stdin, or hidden typing. Never from
 * the command line, because every user of the machine can list command lines.
 */
export async function readSecret(options: {
  question: string;
  /** Name of the environment variable. */
  variable: string | undefined;
}): Promise<string> {
  const { question, variable } = options;
  const text =
    variable === undefined
      ? process.stdin.isTTY
        ? await typed(question)
        : await piped()
      : (process.env[variable] ?? "");
  const secret = text.trim();
  if (secret !== "") return secret;
  const where = variable === undefined ? "no key was given" : `${variable} is not set`;
  const advice =
    "type the key when asked, pipe it to stdin, or name its environment variable with --key-env";
  throw new CliError("noKey", `${where}; ${advice}`, exitCodes.usage);
}

async function piped(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

/** Reads typed text up to Enter. The terminal shows only asterisks. */
function typed(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true).setEncoding("utf8").resume();
  let text = "";
  return new Promise<string>((resolve, reject) => {
    const done = (end: () => void): void => {
      stdin.off("data", take).setRawMode(false).pause();
      stderr.write("\n");
      end();
    };
    const take = (piece: string): void => {
      for (const letter of piece) {
        if (letter === "\r" || letter === "\n") return done(() => resolve(text));
        if (letter === ctrlC || letter === ctrlD) return done(() => reject(cancelled()));
        if (letter === "\u007F" || letter === "\b") {
          if (text !== "") stderr.write("\b \b");
          text = text.slice(0, -1);
        } else if (letter >= " ") {
          text += letter;
          stderr.write("*");
        }
      }
    };
    stdin.on("data", take);
  });
}

const ctrlC = "\u0003";
const ctrlD = "\u0004";

function cancelled(): CliError {
  return new CliError(
    "interrupted",
    "no key was given; nothing was changed",
    exitCodes.interrupted,
  );
}
