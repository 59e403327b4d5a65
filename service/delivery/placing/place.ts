import { toHex } from '@ergon/tron'
import { type Claim, createApart, type Db, type Tx } from '../../db/index.ts'
import type { Log, Runtime } from '../../kernel/index.ts'
import type { Piece, Prepared, Providers } from '../../providers/index.ts'
import {
  actOn,
  type HeldRow,
  insertAttempts,
  insertShares,
  lockHeld,
  lockOpenParts,
  type PartRow,
  setParts,
  shrinkParts,
} from './store.ts'

const BATCH = 100

/** An attempt to insert. A refused or delayed one has no TRON transaction. */
type Attempt = {
  part: string
  provider: string
  /** `sent` is written before the signer and the node get the transaction. */
  state: 'sent' | 'refused'
  energy: bigint
  piece?: Piece
  reason?: string
  actAt?: Date
}

/** How many parts were placed or refused, and whether the provider failed one of them. */
type Placed = { count: number; isFailing: boolean }

/** A part to insert: what a second or later stake delegates of a divided part. */
type NewPart = { id: string; part: string; energy: bigint }

/**
 * Places open parts at our own stake, all waiting ones at once. Attempts and unsigned transactions are
 * committed together before anything leaves the service. An index allows one open attempt per part.
 */
export function createPlacing(deps: { db: Db; runtime: Runtime; log: Log; providers: Providers }) {
  const { db, runtime, log, providers } = deps
  const of = { loop: 'delivery.place', kind: 'part' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)
  const marketplaces = [...providers.marketplaces.keys()]

  async function writeAttempts(tx: Tx, attempts: readonly Attempt[]): Promise<void> {
    const column = <T>(pick: (attempt: Attempt) => T | undefined) =>
      attempts.map((attempt) => pick(attempt) ?? null)
    await tx.query(insertAttempts, [
      column(() => runtime.ids.next()),
      column(({ part }) => part),
      column(({ provider }) => provider),
      column(({ state }) => state),
      column(({ piece }) => piece?.txid),
      column(({ piece }) => piece?.signingRequest),
      column(({ piece }) => piece?.owner),
      column(({ piece }) => piece?.stake),
      column(({ piece }) => piece?.expiresAt),
      column(({ reason }) => reason),
      column(({ energy }) => energy),
      column(({ actAt }) => actAt),
      runtime.clock.now(),
    ])
  }

  /** Divides a part among stakes: the first share stays in the part, each other share becomes a part. */
  async function divide(
    tx: Tx,
    divided: readonly { part: string; pieces: readonly Piece[] }[],
  ): Promise<Map<Piece, string>> {
    const partOf = new Map<Piece, string>()
    const shares: NewPart[] = []
    for (const { part, pieces } of divided) {
      for (const [index, piece] of pieces.entries()) {
        const id = index === 0 ? part : runtime.ids.next()
        partOf.set(piece, id)
        if (index > 0) shares.push({ id, part, energy: piece.share })
      }
    }
    const several = divided.filter(({ pieces }) => pieces.length > 1)
    if (several.length === 0) return partOf
    const firsts = several.map(({ pieces }) => pieces[0]!.share)
    await tx.query(shrinkParts, [several.map(({ part }) => part), firsts])
    await tx.query(insertShares, [
      shares.map(({ id }) => id),
      shares.map(({ part }) => part),
      shares.map(({ energy }) => energy),
    ])
    return partOf
  }

  async function placeAt(tx: Tx, provider: string, parts: readonly PartRow[]): Promise<Placed> {
    const actAt = await providers.heldUntil(tx, provider)
    const prepared = actAt ? [] : await providers.prepare(tx, provider, parts.map(wantedOf))
    const answered = parts.map((part, index) => ({ part, answer: prepared[index] }))
    // A part for which no transaction can be built now stays open: each round tries it again until the deadline.
    const placed = answered.filter(({ answer }) => answer?.state !== 'later')
    if (placed.length === 0) return { count: 0, isFailing: false }
    const divided = placed.flatMap(({ part, answer }) =>
      answer?.state === 'prepared' ? [{ part: part.id, pieces: answer.pieces }] : [],
    )
    const partOf = await divide(tx, divided)
    const attempts = placed.flatMap(({ part, answer }): Attempt[] => {
      const { id, energy } = part
      if (actAt) return [{ part: id, provider, state: 'sent', energy, actAt }]
      if (answer?.state !== 'prepared') {
        return [{ part: id, provider, state: 'refused', energy, reason: answer!.reason }]
      }
      return answer.pieces.map((piece) => {
        const part = partOf.get(piece)!
        return { part, provider, state: 'sent', energy: piece.energy, piece }
      })
    })
    await writeAttempts(tx, attempts)
    await tx.query(setParts, [
      attempts.map(({ part }) => part),
      attempts.map(({ state }) => (state === 'sent' ? 'trying' : 'failed')),
      attempts.map(({ reason }) => reason ?? null),
    ])
    // Lack of capacity does not count as a failure of the provider.
    return { count: placed.length, isFailing: prepared.some((answer) => isFailure(answer)) }
  }

  /** Builds the transactions that a scripted fault of the sandbox held back. */
  async function actOnHeld(tx: Tx, { most, skip, took }: Claim): Promise<number> {
    const held = await tx.query(lockHeld, [runtime.clock.now(), most, skip])
    took(held.map(({ partId }) => partId))
    let acted = 0
    for (const [provider, attempts] of byProvider(held)) {
      const prepared = await providers.prepare(tx, provider, attempts.map(wantedOf))
      for (const [index, answer] of prepared.entries()) {
        if (answer.state !== 'prepared') continue
        await buildDelayed(tx, attempts[index]!, answer.pieces)
        acted += 1
      }
    }
    return acted
  }

  async function buildDelayed(
    tx: Tx,
    { id, partId, provider }: HeldRow,
    pieces: Piece[],
  ): Promise<void> {
    const partOf = await divide(tx, [{ part: partId, pieces }])
    const [first, ...others] = pieces
    const { txid, signingRequest, owner, stake, expiresAt, energy } = first!
    await tx.query(actOn, [id, txid, signingRequest, owner, stake, expiresAt, energy])
    const more = others.map((piece): Attempt => {
      return { part: partOf.get(piece)!, provider, state: 'sent', energy: piece.energy, piece }
    })
    if (more.length > 0) await writeAttempts(tx, more)
  }

  return {
    /** Returns the number of parts that were placed or refused. */
    async placeOpenParts(): Promise<number> {
      const done = await apart.claim(BATCH, (claim) => db.transaction((tx) => placeSome(tx, claim)))
      const failing = new Set(done.flatMap((one) => one.failing))
      for (const provider of failing) await providers.noteOutcome(provider, false)
      return done.reduce((sum, { count }) => sum + count, 0)
    },
  }

  async function placeSome(tx: Tx, claim: Claim) {
    const { most, skip, took } = claim
    // All parts but those of marketplaces: parts of unknown providers are refused here.
    const values = [most, runtime.clock.now(), null, marketplaces, skip]
    const open = await tx.query(lockOpenParts, values)
    took(open.map(({ id }) => id))
    const failing: string[] = []
    let placed = 0
    for (const [provider, parts] of byProvider(open)) {
      const { count, isFailing } = await placeAt(tx, provider, parts)
      if (isFailing) failing.push(provider)
      placed += count
    }
    // One thing at a time when each is handled by itself.
    const isFull = open.length === most
    return { count: placed + (isFull ? 0 : await actOnHeld(tx, claim)), failing }
  }
}

function wantedOf({ receiver, energy }: { receiver: string; energy: bigint }) {
  return { receiver: toHex(receiver), energy }
}

function isFailure(answer: Prepared): boolean {
  return answer.state === 'refused' && answer.room === undefined
}

function byProvider<T extends { provider: string }>(rows: readonly T[]): Map<string, T[]> {
  return Map.groupBy(rows, ({ provider }) => provider)
}
