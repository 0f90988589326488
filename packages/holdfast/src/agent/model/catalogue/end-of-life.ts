/** People are warned when a model will be shut down within this number of days. */
const noticeDays = 30;
const dayLength = 24 * 60 * 60_000;

export interface EndOfLife {
  /** `ending`: the model will be shut down soon. `ended`: the shutdown date of the model has been reached. */
  readonly status: "ending" | "ended";
  readonly message: string;
}

/** Describes the shutdown of a model. Null if no shutdown is announced or it is more than `noticeDays` away. */
export function endOfLifeOf(
  model: {
    readonly id: string;
    readonly endOfLife: string | null;
    readonly successor: string | null;
  },
  now: number,
): EndOfLife | null {
  const { id, endOfLife, successor } = model;
  if (endOfLife === null) return null;
  const days = Math.ceil((Date.parse(`${endOfLife}T00:00:00Z`) - now) / dayLength);
  if (!Number.isFinite(days) || days > noticeDays) return null;
  const advice =
    successor === null ? "Choose another model" : `Choose another model, such as ${successor}`;
  if (days <= 0) {
    const message = `${id} reached its end of life on ${endOfLife}. Its provider may refuse every request. ${advice}.`;
    return { status: "ended", message };
  }
  const left = days === 1 ? "tomorrow" : `in ${days} days`;
  const message = `${id} reaches its end of life ${left}, on ${endOfLife}. ${advice}.`;
  return { status: "ending", message };
}
