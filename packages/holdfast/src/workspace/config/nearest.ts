/** Returns the known name that the user probably meant, or null if none is similar. */
export function nearest(name: string, known: Iterable<string>): string | null {
  const wanted = name.toLowerCase().slice(0, 64);
  const ranked = [...known]
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.toLowerCase()) }))
    .toSorted((left, right) => left.distance - right.distance);
  const [best] = ranked;
  // Suggest nothing for a name of one or two letters: every short name would be similar.
  const close = wanted.length < 3 ? 0 : Math.floor(wanted.length / 3);
  if (best !== undefined && best.distance <= close) return best.candidate;
  const related = ranked.find(({ candidate }) => isPart(candidate.toLowerCase(), wanted));
  return related?.candidate ?? null;
}

/** Returns `; did you mean "x"?` or an empty string. */
export function suggestion(name: string, known: Iterable<string>): string {
  const found = nearest(name, known);
  return found === null ? "" : `; did you mean ${JSON.stringify(found)}?`;
}

function isPart(left: string, right: string): boolean {
  return (
    Math.min(left.length, right.length) >= 3 && (left.startsWith(right) || right.startsWith(left))
  );
}

/** Edit distance: insertions, deletions, changes and swaps of neighbouring letters. */
function distanceOf(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped =
        row > 1 &&
        column > 1 &&
        left[row - 1] === right[column - 2] &&
        left[row - 2] === right[column - 1];
      const choices = [
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        ...(isSwapped ? [(beforeLast[column - 2] ?? 0) + 1] : []),
      ];
      current.push(Math.min(...choices));
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? 0;
}
