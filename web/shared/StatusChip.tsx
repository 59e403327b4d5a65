import { type Icon, IconClock, IconDone, IconFailed, IconWallet, IconWorking } from './icons.tsx'

type Look = { word: string; tone: 'done' | 'busy' | 'bad' | 'wait'; Icon: Icon }

const LOOKS: Record<string, Look> = {
  PENDING: { word: 'Paid', tone: 'busy', Icon: IconClock },
  PROCESSING: { word: 'Delegating', tone: 'busy', Icon: IconWorking },
  AWAITING_PAYMENT: { word: 'Awaiting payment', tone: 'wait', Icon: IconWallet },
  COMPLETED: { word: 'Delegated', tone: 'done', Icon: IconDone },
  FAILED: { word: 'Failed', tone: 'bad', Icon: IconFailed },
  pending: { word: 'Waiting', tone: 'wait', Icon: IconClock },
  final: { word: 'Final', tone: 'done', Icon: IconDone },
  confirmed: { word: 'Credited', tone: 'done', Icon: IconDone },
  reverted: { word: 'Reverted', tone: 'bad', Icon: IconFailed },
  active: { word: 'Active', tone: 'done', Icon: IconDone },
  disabled: { word: 'Disabled', tone: 'bad', Icon: IconFailed },
  closed: { word: 'Closed', tone: 'wait', Icon: IconFailed },
  paused: { word: 'Paused', tone: 'wait', Icon: IconClock },
  pending_activation: { word: 'Activating', tone: 'busy', Icon: IconWorking },
  processing: { word: 'Processing', tone: 'busy', Icon: IconWorking },
  delivering: { word: 'Delivering', tone: 'busy', Icon: IconWorking },
  completed: { word: 'Completed', tone: 'done', Icon: IconDone },
  failed: { word: 'Failed', tone: 'bad', Icon: IconFailed },
  skipped: { word: 'Skipped', tone: 'wait', Icon: IconFailed },
  delivered: { word: 'Delivered', tone: 'done', Icon: IconDone },
  waiting: { word: 'Waiting', tone: 'wait', Icon: IconClock },
}

/** A status: always colour, icon and word together. */
export function StatusChip({ status }: { status: string }) {
  const { word, tone, Icon } = LOOKS[status] ?? { word: status, tone: 'wait', Icon: IconClock }
  return (
    <span className={`chip ${tone}`}>
      <Icon size={14} />
      {word}
    </span>
  )
}
