/** Return.response_code of java-tron's api.proto: why a broadcast is refused. */
export type RefusalCode =
  | 'SIGERROR'
  | 'CONTRACT_VALIDATE_ERROR'
  | 'CONTRACT_EXE_ERROR'
  | 'BANDWITH_ERROR'
  | 'DUP_TRANSACTION_ERROR'
  | 'TAPOS_ERROR'
  | 'TOO_BIG_TRANSACTION_ERROR'
  | 'TRANSACTION_EXPIRATION_ERROR'
  | 'SERVER_BUSY'
  | 'NOT_ENOUGH_EFFECTIVE_CONNECTION'
  | 'OTHER_ERROR'

/** A transaction that a node would not take, with the node's code and its own sentence. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string) {
    super(message)
    this.code = code
  }
}

/** What an actuator says when a contract does not fit the state. */
export class InvalidContract extends Error {
  override name = 'InvalidContract'
}

export function ensure(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvalidContract(message)
}
