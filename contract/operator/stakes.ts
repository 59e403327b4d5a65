import { Type } from 'typebox'
import { Nullable, SunField, TimeField, TrxField } from '../fields.ts'
import { defineRoute } from '../route.ts'
import { byId, group, why } from './fields.ts'

const Votes = Type.Array(
  Type.Object({ witness: Type.String(), count: SunField('Votes, or a share of them.') }),
)

const Operation = Type.Object({
  id: Type.String(),
  stake: Type.String(),
  action: Type.String({
    description: 'freeze, unfreeze, withdraw, cancel_unfreeze, vote or claim.',
  }),
  amount_trx: Nullable(TrxField('Of a freeze and an unfreeze.')),
  amount_sun: Nullable(SunField('The same, as it is signed.')),
  resource: Nullable(Type.String({ description: 'ENERGY or BANDWIDTH.' })),
  votes: Votes,
  reason: Type.String(),
  state: Type.String({
    description:
      'requested, approved, signing, broadcast, expired (the next attempt needs approvals), cancelling, cancelled, refused, failed or done.',
  }),
  attempt: Type.Integer({ description: 'Approvals name it; the next begins when bytes expired.' }),
  needs_approval: Type.Boolean({ description: 'Votes and claims need none.' }),
  approvals: Type.Array(
    Type.Object({
      by: Type.String(),
      key: Type.String({ description: 'Public key, as hex.' }),
      ends_at: TimeField('It counts until then.'),
    }),
    { description: 'Of this attempt.' },
  ),
  requested_by: Type.String(),
  requested_at: TimeField('When it was asked for.'),
  cancelled_by: Nullable(Type.String({ description: 'Who ended it.' })),
  txid: Nullable(Type.String({ description: 'The transaction under way, or that did it.' })),
  block: Nullable(SunField('The block that holds it now.')),
  moved_trx: Nullable(
    TrxField('By the receipt: what was claimed, withdrawn, or became stake again.'),
  ),
  trouble: Nullable(Type.String({ description: 'What went wrong last.' })),
})

const Stake = Type.Object({
  address: Type.String(),
  spendable_trx: TrxField('Pays its fees, and can be frozen.'),
  energy_trx: TrxField('Staked for Energy.'),
  delegated_trx: TrxField('The part of it that is delegated, which cannot be unfrozen.'),
  bandwidth_trx: TrxField('Staked for Bandwidth.'),
  unfreezing_trx: TrxField('Within its wait.'),
  withdrawable_trx: TrxField('Past it.'),
  power: SunField('Votes that it can give.'),
  votes: Votes,
  standing: Votes,
  reward_trx: TrxField('Rewards of votes that were not claimed yet.'),
  claimable_from: TimeField('The chain pays rewards once in 24 hours.'),
})

export const getOperatorStakes = defineRoute({
  name: 'getOperatorStakes',
  method: 'GET',
  path: '/stakes',
  auth: 'operator',
  group,
  summary: 'Own stakes, what unlocks when, and what is done with them; newest first',
  reply: {
    status: 200,
    schema: Type.Object({
      stakes: Type.Array(Stake),
      calendar: Type.Array(
        Type.Object({
          stake: Type.String(),
          resource: Type.String(),
          amount_trx: TrxField('That come back.'),
          at: TimeField('From then on they can be withdrawn.'),
        }),
      ),
      operations: Type.Array(Operation),
      approval: Nullable(
        Type.Object(
          {
            chain: Type.String({ description: 'Id of block 0.' }),
            hot_address: Type.String(),
            ends_at: TimeField('The end that an approval made now should have.'),
          },
          { description: 'What every approval names beside its operation; null without a signer.' },
        ),
      ),
    }),
    description: 'At most 100 operations.',
  },
  refusals: [],
})

const wish = {
  stake: Type.Optional(Type.String({ description: 'Absent: the only one there is.' })),
  action: Type.Union(
    (['freeze', 'unfreeze', 'withdraw', 'cancel_unfreeze', 'vote', 'claim'] as const).map((one) =>
      Type.Literal(one),
    ),
  ),
  amount_trx: Type.Optional(Type.String({ description: 'Of a freeze and an unfreeze.' })),
  resource: Type.Optional(Type.Union([Type.Literal('ENERGY'), Type.Literal('BANDWIDTH')])),
  shares: Type.Optional(
    Type.Array(Type.String({ maxLength: 48 }), {
      maxItems: 30,
      description: 'Of a vote: witnesses with their shares, such as TWitness=2.',
    }),
  ),
  standing: Type.Optional(
    Type.Boolean({ description: 'Vote so again when the stake has grown; without it that ends.' }),
  ),
}

export const postOperatorStakePreview = defineRoute({
  name: 'postOperatorStakePreview',
  method: 'POST',
  path: '/stakes/preview',
  auth: 'operator',
  group,
  summary: 'What an operation with a stake would do, in numbers',
  body: Type.Object(wish),
  reply: {
    status: 200,
    schema: Type.Object({
      effects: Type.Array(Type.String()),
      why_not: Nullable(Type.String({ description: 'Why it cannot be done now.' })),
    }),
    description: 'Nothing was changed.',
  },
  refusals: ['validation_error'],
})

export const postOperatorStakeOperation = defineRoute({
  name: 'postOperatorStakeOperation',
  method: 'POST',
  path: '/stakes/operations',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Ask for an operation with a stake',
  body: Type.Object({ ...wish, why }),
  reply: { status: 200, schema: Operation, description: 'Waiting for approvals, or on its way.' },
  refusals: ['validation_error'],
})

export const postOperatorStakeApproval = defineRoute({
  name: 'postOperatorStakeApproval',
  method: 'POST',
  path: '/stakes/operations/{id}/approve',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: "Carry an operator's approval of an operation with a stake to the signer",
  params: byId,
  body: Type.Object({
    why,
    key: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Public key, as hex.' }),
    ends_at: Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
      description: 'As it was signed.',
    }),
    signature: Type.String({ pattern: '^[0-9a-f]{128}$', description: 'Ed25519, as hex.' }),
  }),
  reply: { status: 200, schema: Operation, description: 'With this approval.' },
  refusals: ['not_found', 'validation_error'],
})

export const postOperatorStakeStop = defineRoute({
  name: 'postOperatorStakeStop',
  method: 'POST',
  path: '/stakes/operations/{id}/stop',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'End an operation with a stake that is not signed',
  params: byId,
  body: Type.Object({ why }),
  reply: { status: 200, schema: Operation, description: 'On its way to the signer.' },
  refusals: ['not_found', 'validation_error'],
})
