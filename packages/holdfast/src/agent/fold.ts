/** Computes a state from a list. If the list has grown since the last call, only the new items are processed. */
export type Fold<Item extends object, Purpose, State> = (
  items: readonly Item[],
  purpose: Purpose,
) => State;

interface Reading<Item, Purpose, State> {
  readonly purpose: Purpose;
  readonly state: State;
  count: number;
  last: Item;
}

/**
 * Creates a fold that keeps its state between calls. Every model request needs the whole conversation, but only the
 * last items are new. The state is cached by the first item of the list, which stays the same object while the list is
 * in memory. If earlier items or `purpose` (such as the model that gets the result) changed, the fold starts again with
 * the first item.
 */
export function createFold<Item extends object, Purpose, State>(fold: {
  readonly begin: (purpose: Purpose) => State;
  readonly add: (state: State, item: Item) => void;
}): Fold<Item, Purpose, State> {
  const readings = new WeakMap<Item, Reading<Item, Purpose, State>>();
  return (items, purpose) => {
    const [first] = items;
    if (first === undefined) return fold.begin(purpose);
    const known = readings.get(first);
    const continues = known?.purpose === purpose && items[known.count - 1] === known.last;
    const reading: Reading<Item, Purpose, State> =
      known !== undefined && continues
        ? known
        : { purpose, state: fold.begin(purpose), count: 0, last: first };
    readings.set(first, reading);
    for (const item of items.slice(reading.count)) {
      fold.add(reading.state, item);
      reading.count += 1;
      reading.last = item;
    }
    return reading.state;
  };
}
