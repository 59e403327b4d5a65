/** A fault is ours: it ends the transaction, answers 500 and wakes somebody. Refusals are values instead. */
export class Fault extends Error {
  override name = 'Fault'
}

export function assert(condition: unknown, sentence: string): asserts condition {
  if (!condition) throw new Fault(sentence)
}

/** A start that cannot succeed, told to the operator in one sentence: exit code 1, no stack. */
export class CannotStart extends Error {
  override name = 'CannotStart'
}
