/** What is made of a list, for a purpose; read on from where it was left when the list has grown. */
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
 * Conversations are read again for every request, and only their end is new: what was made of the rest
 * is kept for as long as the list's first item is, which is the same object for as long as the list is
 * in memory. A list that has changed elsewhere, or is read for another purpose, is read from the start.
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
    const goesOn = known?.purpose === purpose && items[known.count - 1] === known.last;
    const reading: Reading<Item, Purpose, State> =
      known !== undefined && goesOn
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
