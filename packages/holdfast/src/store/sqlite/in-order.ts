/**
 * A part of one session's log in order: what is in the index, then what the lane's row holds. Each is
 * read only as far as the limit asks for.
 */
export function inOrder(query: { select: string; from: string; where: string }): string {
  const { select, from, where } = query;
  return `
    SELECT log.seq AS seq, ${select} FROM log CROSS JOIN ${from}
    WHERE log.lane = :lane AND log.seq > :after AND events.position = log.position AND ${where}
    UNION ALL
    SELECT events.seq, ${select}
    FROM lanes CROSS JOIN json_each(lanes.recent) AS place CROSS JOIN ${from}
    WHERE lanes.lane = :lane AND events.position = place.value AND events.seq > :after AND ${where}
    ORDER BY seq LIMIT :limit`;
}
