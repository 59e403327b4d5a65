import type { Answer } from './http.ts'

/** A marketplace cannot be reached, or says what makes no sense: no offer can be read from it now. */
export class MarketplaceTrouble extends Error {
  override name = 'MarketplaceTrouble'

  constructor(marketplace: string, what: string) {
    super(`${marketplace}: ${what}`)
  }
}

/** The JSON of an answer that must be there for an offer to be made of it. */
export function heard(marketplace: string, answer: Answer): unknown {
  if (!answer.heard) throw new MarketplaceTrouble(marketplace, answer.reason)
  if (answer.status >= 300) throw new MarketplaceTrouble(marketplace, `status ${answer.status}`)
  return answer.json
}

/** A figure without which there is no offer. */
export function needed<T>(marketplace: string, name: string, value: T | undefined): T {
  if (value === undefined) throw new MarketplaceTrouble(marketplace, `no ${name} in its answer`)
  return value
}

/** A price: also something to divide by. */
export function positive(marketplace: string, name: string, value: bigint | undefined): bigint {
  const given = needed(marketplace, name, value)
  if (given <= 0n) throw new MarketplaceTrouble(marketplace, `${name} is ${given}`)
  return given
}
