import { PASSWORD, type Visitor } from './visitor.ts'

const ID = '01a1dd1e-0000-7000-8000-000000000000'

/** The path of a route of the console, of things that are not there. */
export const pathOf = (path: string) => path.replace('{name}', 'selling').replaceAll(/\{\w+\}/g, ID)

/** A valid body for every route of the console, so that only role and second factor can refuse. */
export const bodyFor = async (visitor: Visitor) => ({
  schedule: (await visitor.call('GET', '/schedule')).body.schedule,
  why: 'a theft',
  enabled: false,
  decision: 'absent',
  resolution: 'dismiss',
  difference_trx: '1',
  basis_points: 0,
  amount_trx: '1',
  to: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  name: 'resellers',
  group: null,
  reason: 'because',
  action: 'freeze',
  requests_per_minute: null,
  unverified_credit_trx: null,
  max_amount: 5_000_000,
  text: 'a note',
  plans: [],
  role: 'viewer',
  email: 'new@example.com',
  by_mail: false,
  margin_sun: 1,
  change_max_sun: 1,
  amount_max: 1,
  experiment: true,
  key: 'a'.repeat(64),
  ends_at: '2026-11-17T00:00:00.000Z',
  signature: 'a'.repeat(128),
  floor_trx: '1',
  ceiling_trx: '100',
  daily_cap_trx: '100',
  cold_address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  deposit_address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  as: 'wait',
  id: 'AAAA',
  client_data: 'AAAA',
  attestation: 'AAAA',
  authenticator_data: 'AAAA',
  current_password: PASSWORD,
  new_password: 'another horse battery',
})
