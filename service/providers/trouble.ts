import type { Answer } from './http.ts'

/** A marketplace cannot be reached or its answer is invalid: it has no offer now. */
export class MarketplaceTrouble extends Error {
  override name = 'MarketplaceTrouble'

  constructor(marketplace: string, what: string) {
    super(`${marketplace}: ${what}`)
  }
}

/** The JSON of an answer; throws MarketplaceTrouble without one. */
export function answerJson(marketplace: string, answer: Answer): unknown {
  if (!answer.received) throw new MarketplaceTrouble(marketplace, answer.reason)
  if (answer.status >= 300) throw new MarketplaceTrouble(marketplace, `status ${answer.status}`)
  return answer.json
}

/** A required figure of an offer. */
export function needed<T>(marketplace: string, name: string, value: T | undefined): T {
  if (value === undefined) throw new MarketplaceTrouble(marketplace, `no ${name} in its answer`)
  return value
}

/** A required figure above zero, such as a price. */
export function positive(marketplace: string, name: string, value: bigint | undefined): bigint {
  const given = needed(marketplace, name, value)
  if (given <= 0n) throw new MarketplaceTrouble(marketplace, `${name} is ${given}`)
  return given
}
