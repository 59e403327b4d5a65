/** What a client sells: Energy per unit, its price, and the address where customers pay. */
export type Config = {
  id: string
  account: string
  publicId: string
  mode: 'own' | 'generated'
  address: string
  proven: boolean
  title: string
  energyPerUnit: bigint
  basePayment: bigint
  maxUnits: bigint
  status: 'active' | 'paused'
  pauseReason: 'user' | 'insufficient_balance' | 'admin' | null
  createdAt: Date
  updatedAt: Date
}

/** The part of a configuration that decides about a payment. */
export type Offer = Pick<Config, 'energyPerUnit' | 'basePayment' | 'maxUnits'>

/** A base payment is a whole number of these. */
export const MILLI_TRX = 1_000n

/** Whole base payments, up to the maximum; the client keeps the excess. */
export function unitsOf(amount: bigint, { basePayment, maxUnits }: Offer): bigint {
  const units = amount / basePayment
  return units < maxUnits ? units : maxUnits
}
