/** Of the lane and of the id: together what a number holds exactly. */
const lanes = 2 ** 21;
const ids = 2 ** 32;

/**
 * Where a settled prompt's row is in the ledger: by its lane, so that a session's rows lie together, then
 * by a number out of its id. Prompts may have the same key: the first to be settled has it. The keys are
 * in databases, and never change.
 */
export function ledgerKey(lane: number, promptId: string): number {
  return (lane % lanes) * ids + numberOf(promptId);
}

/** FNV-1a, mixed once more, so that ids which differ at their end only are spread as well. */
function numberOf(promptId: string): number {
  let number = 0x811c9dc5;
  for (let index = 0; index < promptId.length; index += 1) {
    number = Math.imul(number ^ promptId.charCodeAt(index), 0x01000193);
  }
  number = Math.imul(number ^ (number >>> 15), 0x2c1b3c6d);
  return (number ^ (number >>> 12)) >>> 0;
}
