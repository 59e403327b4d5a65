import { type Icon, IconClock, IconDone, IconFailed, IconWallet, IconWorking } from './icons.tsx'

type Look = { tone: 'done' | 'busy' | 'bad' | 'wait'; Icon: Icon }

const DONE: Look = { tone: 'done', Icon: IconDone }
const BUSY: Look = { tone: 'busy', Icon: IconWorking }
const BAD: Look = { tone: 'bad', Icon: IconFailed }
const WAITING: Look = { tone: 'wait', Icon: IconClock }

/** States of the API in lower case; one that is not here looks like waiting. */
const LOOKS: Record<string, Look> = {
  awaiting_payment: { tone: 'wait', Icon: IconWallet },
  processing: BUSY,
  pending_activation: BUSY,
  delivering: BUSY,
  completed: DONE,
  confirmed: DONE,
  delivered: DONE,
  active: DONE,
  failed: BAD,
  reverted: BAD,
  disabled: BAD,
  closed: { tone: 'wait', Icon: IconFailed },
  skipped: { tone: 'wait', Icon: IconFailed },
}

/** The API's own word for a state: AWAITING_PAYMENT is read as “Awaiting payment”. */
export function stateWords(state: string): string {
  const words = state.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A state: always colour, icon and word together. */
export function StatusChip({ status }: { status: string }) {
  const { tone, Icon } = LOOKS[status.toLowerCase()] ?? WAITING
  return (
    <span className={`chip ${tone}`}>
      <Icon size={14} />
      {stateWords(status)}
    </span>
  )
}
