/**
 * The next turn of the event loop: everything that has arrived on sockets in this one has been
 * read by then. Work that is cheaper together waits for it, which costs microseconds.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
