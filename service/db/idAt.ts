/** SQL for the least id that could be made at a time: ids of ours begin with the milliseconds. */
export const idAt = (time: string) =>
  `(lpad(to_hex((extract(epoch from ${time}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`
