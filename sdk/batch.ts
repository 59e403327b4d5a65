import type { Bought, Purchase } from './wire.ts'

/** A purchase of a batch; without a key it gets a new one. */
export type BatchPurchase = Purchase & { idempotency_key?: string }

export type BatchMode = 'each' | 'all'

/** `'order_id' in body` tells a purchase from a refusal, which has `detail`. */
export type BatchResult = { status: number; body: Bought | { detail: unknown; message?: string } }
