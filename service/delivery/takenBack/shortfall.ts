/** What a reclaim took from one delegation. */
export type Taken<Row> = { row: Row; stake: bigint }

/**
 * Divides what is missing after a reclaim among the delegations that counted on it, in their order. Nothing is missing
 * while the owner still lends the address what these delegations and the standing Energy need.
 */
export function takenFrom<Row extends { left: bigint }>(
  needed: readonly Row[],
  of: { reclaimed: bigint; remaining: bigint; standing: bigint },
): Taken<Row>[] {
  const wanted = needed.reduce((sum, { left }) => sum + left, of.standing)
  const short = wanted - of.remaining
  let missing = short < of.reclaimed ? short : of.reclaimed
  return needed.flatMap((row) => {
    const stake = missing < row.left ? missing : row.left
    if (stake <= 0n) return []
    missing -= stake
    return [{ row, stake }]
  })
}
