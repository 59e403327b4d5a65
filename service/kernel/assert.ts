/** A bug of ours: it ends the transaction, answers 500 and is logged as an error. Refusals are values. */
export class Fault extends Error {
  override name = 'Fault'
}

export function assert(condition: unknown, sentence: string): asserts condition {
  if (!condition) throw new Fault(sentence)
}

/** Refused for a while, by the state of the service: it answers 503 and nothing was done. */
export class NotNow extends Error {
  override name = 'NotNow'
}

/** A start that cannot succeed. The operator gets one sentence and exit code 1, without a stack. */
export class CannotStart extends Error {
  override name = 'CannotStart'
}
