import { Type } from 'typebox'
import { CountField, TimeField } from './fields.ts'
import { defineRoute } from './route.ts'

/** The sandbox's node: what its token costs, and what can go wrong with it. */
const group = 'Sandbox'

export const postSandboxEnergy = defineRoute({
  name: 'postSandboxEnergy',
  method: 'POST',
  path: '/chain/energy',
  auth: 'public',
  group,
  summary: 'Sets what a USDT transfer costs',
  description:
    'The factor is the penalty of the dynamic energy model, in ten-thousandths. Every six hours of ' +
    'the chain it rises when the network uses the token a lot, and falls when it does not.',
  body: Type.Object({
    factor: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 34_000, description: '34000 makes 64,285 of 14,650.' }),
    ),
    network_usage: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000_000_000,
        description: 'Energy that the rest of the network uses of it in six hours.',
      }),
    ),
  }),
  reply: {
    status: 200,
    description: 'What holds now.',
    schema: Type.Object({
      factor: Type.Integer(),
      network_usage: CountField('Energy in six hours.'),
      next_maintenance: TimeField('When it changes next.'),
    }),
  },
  refusals: ['validation_error'],
})

const faults = {
  constant_timeout: Type.Optional(
    Type.Boolean({ description: 'Constant calls and estimates run out of time.' }),
  ),
  syncing_blocks: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'The node is so many blocks behind and takes no transactions.',
    }),
  ),
  busy: Type.Optional(Type.Boolean({ description: 'Transactions are refused with SERVER_BUSY.' })),
  empty_infos: Type.Optional(Type.Boolean({ description: 'No receipts, as of a node behind.' })),
  delay_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 60_000,
      description: 'How long it waits before it answers.',
    }),
  ),
  http_status: Type.Optional(
    Type.Integer({ minimum: 200, maximum: 599, description: 'Every call is answered with it.' }),
  ),
  times: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'The fault ends after so many calls.',
    }),
  ),
}

export const postSandboxNode = defineRoute({
  name: 'postSandboxNode',
  method: 'POST',
  path: '/chain/node',
  auth: 'public',
  group,
  summary: 'Makes the node fail, until it is set anew',
  body: Type.Object(faults),
  reply: { status: 200, description: 'The faults in force.', schema: Type.Object(faults) },
  refusals: ['validation_error'],
})
