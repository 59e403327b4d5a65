import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** By then pages are built, rooms are open and the watched addresses are read. */
const AFTER_MS = 15_000

/**
 * A start needs twice the memory that stays in use: code that is compiled once, rows that become a
 * map. V8 keeps it for a rush that may never come, so it is asked once to give it back. Everything
 * stops meanwhile: 140 ms in the sandbox's one process, 30 ms in the signer.
 */
export function giveBackAfterStart() {
  setTimeout(collectGarbage, AFTER_MS).unref()
}

/** Of the collections V8 knows only this one makes the heap smaller, and it hands it out under a flag. */
export function collectGarbage() {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as NodeJS.GCFunction
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  setFlagsFromString('--no-expose-gc')
}

/**
 * After a burst V8 takes the parts of a request for something that lasts, and makes the next ones where only
 * a full collection looks. No request lasts.
 */
export function makeRequestsYoung() {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
