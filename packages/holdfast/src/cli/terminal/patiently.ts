import { createLines } from "./lines.ts";

/** Shows at a terminal what is being waited for: a server that is slow to start takes its time. */
export async function patiently<Value>(what: string, work: Promise<Value>): Promise<Value> {
  const lines = createLines({ answers: true, notes: true });
  lines.waiting(what);
  try {
    return await work;
  } finally {
    lines.close();
  }
}
