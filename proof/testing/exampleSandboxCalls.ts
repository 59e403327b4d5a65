import type { Asked } from '../../web/index.ts'
import type { Known, Step } from './exampleStep.ts'

const body = (fields: NonNullable<Asked['body']>) => () => ({ body: fields })
const inChat = { params: { chat: '4711' } }

/** Every call of the sandbox once. What breaks something is followed by the call that mends it. */
export const SANDBOX_STEPS: Step[] = [
  {
    name: 'postSandboxAccount',
    ask: body({ name: 'shop', deposit_trx: '100' }),
    after: ({ account_id }, known) => {
      known.made = account_id
    },
  },
  { name: 'postSandboxRemoveUser', ask: ({ made }) => ({ params: { id: made! } }) },
  { name: 'getSandboxClock' },
  { name: 'postSandboxClock', ask: body({ advance_seconds: 60 }) },
  {
    name: 'postSandboxTransfer',
    ask: (known) => ({ body: { ...fromFunded(known), amount_sun: 5_000_000 } }),
  },
  {
    name: 'postSandboxFaucet',
    ask: ({ receiver }) => ({ body: { to: receiver, amount_sun: 5_000_000 } }),
  },
  {
    name: 'postSandboxUsdt',
    ask: (known) => ({ body: { ...fromFunded(known), amount: 1_000_000 } }),
  },
  { name: 'postSandboxMine', ask: body({ blocks: 3 }) },
  { name: 'postSandboxReorg', ask: body({ depth: 1 }) },
  { name: 'postSandboxEnergy', ask: body({ factor: 34_000 }) },
  { name: 'postSandboxNode', ask: body({ busy: true, times: 1 }) },
  {
    name: 'getSandboxProviders',
    after: ({ providers }, known) => {
      known.provider = providers[0].name
    },
  },
  {
    name: 'postSandboxProvider',
    ask: ({ provider }) => ({ params: { name: provider! }, body: { behaviour: 'ok' } }),
  },
  { name: 'postSandboxSettings', ask: body({ purchases_enabled: true }) },
  {
    name: 'postSandboxSink',
    after: ({ id }, known) => {
      known.sink = id
    },
  },
  { name: 'getSandboxSink', ask: ({ sink }) => ({ params: { id: sink! } }) },
  {
    name: 'postSandboxSinkAnswer',
    ask: ({ sink }) => ({ params: { id: sink! }, body: { answer: 500 } }),
  },
  { name: 'postSandboxChat', ask: () => ({ ...inChat, body: { name: 'Ann', text: 'hello' } }) },
  { name: 'getSandboxChat', ask: () => inChat },
]

function fromFunded({ funded, receiver }: Known) {
  return { from: funded, to: receiver }
}
