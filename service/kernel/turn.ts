/**
 * The next turn of the event loop. By then all data that has arrived on sockets in this turn is
 * read, so batches wait for it; that costs microseconds.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
