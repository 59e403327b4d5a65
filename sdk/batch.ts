import type { Bought, NewBatch, Purchase } from './wire.ts'

/** A purchase of a batch; without a key it gets a new one. */
export type BatchPurchase = Purchase & { idempotency_key?: string }

export type BatchMode = NewBatch['mode']

/** `'order_id' in body` tells a purchase from a refusal, which has `detail`. */
export type BatchResult = { status: number; body: Bought | { detail: unknown; message?: string } }
