import type { PayerAnswer } from './payer.ts'
import type { PaymentStatus, SkipReason } from './payment.ts'

/** Sentences for a customer, in one language. The pay page's dictionaries have them. */
export type PayerMessages = {
  status: Record<Exclude<PaymentStatus, 'skipped'>, string>
  skipped: Record<SkipReason | 'other', string>
  check: Record<PayerAnswer, string>
}

/** What a payment's state means for the payer. A new reason may have no text yet. */
export function messageOf(
  { status, skipReason }: { status: PaymentStatus; skipReason: string | null },
  messages: PayerMessages,
): string {
  if (status !== 'skipped') return messages.status[status]
  const known = messages.skipped as Record<string, string>
  return known[skipReason ?? ''] ?? messages.skipped.other
}
