import { parseAddress, toBase58 } from '@ergon/tron'

/** So many votes for a witness, or its share of all votes of a stake. */
export type Vote = { witness: string; count: bigint }

/** The chain takes no more in one vote. */
export const WITNESSES_MAX = 30

/** As rows have them: witness=count. */
export const textOfVotes = (votes: readonly Vote[]) =>
  votes.map(({ witness, count }) => `${witness}=${count}`)

export function votesOfText(texts: readonly string[]): Vote[] {
  return texts.map((text) => {
    const [witness = '', count = ''] = text.split('=')
    return { witness, count: BigInt(count) }
  })
}

/** Shares as a person writes them, such as `TWitness` or `TWitness=3`; a sentence when that is not what they are. */
export function sharesOf(texts: readonly string[]): Vote[] | string {
  if (texts.length === 0) return 'A vote names at least one witness.'
  if (texts.length > WITNESSES_MAX) return `A vote names at most ${WITNESSES_MAX} witnesses.`
  const shares: Vote[] = []
  for (const text of texts) {
    const [name = '', share = '1', ...more] = text.split('=')
    const witness = parseAddress(name.trim())
    if (!witness) return `${name || 'Nothing'} is not a TRON address.`
    if (!/^[1-9]\d{0,5}$/.test(share) || more.length > 0) {
      return `The share of ${name} is a whole number from 1 to 999999.`
    }
    const known = toBase58(witness)
    if (shares.some((one) => one.witness === known)) return `${known} is named twice.`
    shares.push({ witness: known, count: BigInt(share) })
  }
  return shares
}

/** All of the power by these shares; what does not divide is left out. */
export function divided(power: bigint, shares: readonly Vote[]): Vote[] {
  const all = totalOf(shares)
  return shares
    .map(({ witness, count }) => ({ witness, count: (power * count) / all }))
    .filter(({ count }) => count > 0n)
}

export const totalOf = (votes: readonly Vote[]) => votes.reduce((sum, { count }) => sum + count, 0n)
