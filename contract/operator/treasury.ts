import { Type } from 'typebox'
import { Nullable, SunField, TimeField, TrxField } from '../fields.ts'
import { defineRoute } from '../route.ts'
import { byId, group, Payout, why } from './fields.ts'
import { Reconciliation } from './status.ts'

export const getOperatorTreasury = defineRoute({
  name: 'getOperatorTreasury',
  method: 'GET',
  path: '/treasury',
  auth: 'operator',
  group,
  summary: 'Where the money is, and what moves',
  reply: {
    status: 200,
    schema: Type.Object({
      reconciliation: Nullable(Reconciliation),
      held_trx: TrxField('Verified on deposit addresses, by our books.'),
      held_addresses: SunField('On so many of them.'),
      unverified_credit_trx: TrxField(
        'Deposits that can be spent although their blocks are not final; the first 200 TRX of each account do not count.',
      ),
      unverified_credit_max_trx: TrxField('From then on further deposits wait for their blocks.'),
      open_sweeps: SunField('Under way.'),
      refused_sweeps: SunField('Refused within the last hour.'),
      payouts_requested: SunField('Waiting for approval.'),
      payouts_under_way: SunField('Approved and not paid yet.'),
    }),
    description: 'The treasury.',
  },
  refusals: [],
})

export const postOperatorReconciliation = defineRoute({
  name: 'postOperatorReconciliation',
  method: 'POST',
  path: '/treasury/reconcile',
  auth: 'operator',
  group,
  summary: 'Compare what the chain holds for us with what we owe, now',
  reply: { status: 200, schema: Reconciliation, description: 'The result.' },
  refusals: [],
})

export const getOperatorPayouts = defineRoute({
  name: 'getOperatorPayouts',
  method: 'GET',
  path: '/payouts',
  auth: 'operator',
  group,
  summary: 'Payouts; newest first',
  reply: {
    status: 200,
    schema: Type.Object({
      payouts: Type.Array(Payout),
      approval: Nullable(
        Type.Object(
          {
            chain: Type.String({ description: 'Id of block 0.' }),
            hot_address: Type.String(),
            ends_at: TimeField('The end that an approval made now should have.'),
          },
          { description: 'What every approval names beside its payout; null without a signer.' },
        ),
      ),
    }),
    description: 'At most 100.',
  },
  refusals: [],
})

export const postOperatorPayoutApproval = defineRoute({
  name: 'postOperatorPayoutApproval',
  method: 'POST',
  path: '/payouts/{id}/approve',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: "Carry an operator's approval of a payout to the signer",
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
  reply: { status: 200, schema: Payout, description: 'With this approval.' },
  refusals: ['not_found', 'validation_error'],
})

export const postOperatorPayoutCancellation = defineRoute({
  name: 'postOperatorPayoutCancellation',
  method: 'POST',
  path: '/payouts/{id}/cancel',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Cancel a payout that is not signed',
  params: byId,
  body: Type.Object({ why }),
  reply: { status: 200, schema: Payout, description: 'On its way to the signer.' },
  refusals: ['not_found', 'validation_error'],
})
