import {
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconLoader2,
  IconWallet,
} from '@tabler/icons-react'

type Look = { word: string; tone: 'done' | 'busy' | 'bad' | 'wait'; Icon: typeof IconClock }

const LOOKS: Record<string, Look> = {
  PENDING: { word: 'Paid', tone: 'busy', Icon: IconClock },
  PROCESSING: { word: 'Delegating', tone: 'busy', Icon: IconLoader2 },
  AWAITING_PAYMENT: { word: 'Awaiting payment', tone: 'wait', Icon: IconWallet },
  COMPLETED: { word: 'Delegated', tone: 'done', Icon: IconCircleCheck },
  FAILED: { word: 'Failed', tone: 'bad', Icon: IconCircleX },
  pending: { word: 'Waiting', tone: 'wait', Icon: IconClock },
  final: { word: 'Final', tone: 'done', Icon: IconCircleCheck },
  confirmed: { word: 'Credited', tone: 'done', Icon: IconCircleCheck },
  reverted: { word: 'Reverted', tone: 'bad', Icon: IconCircleX },
  active: { word: 'Active', tone: 'done', Icon: IconCircleCheck },
  disabled: { word: 'Disabled', tone: 'bad', Icon: IconCircleX },
  closed: { word: 'Closed', tone: 'wait', Icon: IconCircleX },
  paused: { word: 'Paused', tone: 'wait', Icon: IconClock },
  pending_activation: { word: 'Activating', tone: 'busy', Icon: IconLoader2 },
  processing: { word: 'Processing', tone: 'busy', Icon: IconLoader2 },
  delivering: { word: 'Delivering', tone: 'busy', Icon: IconLoader2 },
  completed: { word: 'Completed', tone: 'done', Icon: IconCircleCheck },
  failed: { word: 'Failed', tone: 'bad', Icon: IconCircleX },
  skipped: { word: 'Skipped', tone: 'wait', Icon: IconCircleX },
  delivered: { word: 'Delivered', tone: 'done', Icon: IconCircleCheck },
  waiting: { word: 'Waiting', tone: 'wait', Icon: IconClock },
}

/** A state: always colour, icon and word together. */
export function StatusChip({ status }: { status: string }) {
  const { word, tone, Icon } = LOOKS[status] ?? { word: status, tone: 'wait', Icon: IconClock }
  return (
    <span className={`chip ${tone}`}>
      <Icon size={14} aria-hidden />
      {word}
    </span>
  )
}
