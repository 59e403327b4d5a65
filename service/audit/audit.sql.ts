import { statement } from '../db/index.ts'

export type ProgressRow = {
  name: string
  proven: string | null
  passAt: string | null
  passRows: bigint
  passes: bigint
}

export const readProgress = statement<ProgressRow>(
  'audit.readProgress',
  `select name, proven, pass_at as "passAt", pass_rows as "passRows", passes from audit.progress`,
)

export const writeProven = statement(
  'audit.writeProven',
  `
  insert into audit.progress (name, proven) values ($1, $2)
  on conflict (name) do update set proven = excluded.proven
`,
)

/** $2 null: the pass has come to the end and begins anew. */
export const writePass = statement(
  'audit.writePass',
  `
  insert into audit.progress as p (name, pass_at, pass_rows, passes)
  values ($1, $2, case when $2::text is null then 0 else $3::bigint end, case when $2::text is null then 1 else 0 end)
  on conflict (name) do update
    set pass_at = excluded.pass_at, passes = p.passes + excluded.passes,
        pass_rows = case when excluded.pass_at is null then 0 else p.pass_rows + excluded.pass_rows end
`,
)

export const recordProof = statement(
  'audit.recordProof',
  `
  insert into audit.proof as p (invariant, proofs, proven_at) values ($1, 1, $2)
  on conflict (invariant) do update set proofs = p.proofs + 1, proven_at = excluded.proven_at, failures = 0
`,
)

export const recordFailure = statement(
  'audit.recordFailure',
  `
  insert into audit.proof as p (invariant, failures) values ($1, 1)
  on conflict (invariant) do update set failures = p.failures + 1
`,
)

export type ProofRow = { invariant: string; proofs: bigint; failures: bigint }

export const readProofs = statement<ProofRow>(
  'audit.readProofs',
  `select invariant, proofs, failures from audit.proof`,
)

export type LastProofRow = { invariant: string; provenAt: Date | null; failures: bigint }

export const listProofs = statement<LastProofRow>(
  'audit.listProofs',
  `
  select i.name as invariant, p.proven_at as "provenAt", coalesce(p.failures, 0) as failures
    from unnest($1::text[]) with ordinality as i(name, place)
    left join audit.proof p on p.invariant = i.name
   order by p.proven_at nulls first, i.place
`,
)

/** Estimates of the planner. */
export const estimateRows = statement<{ table: string; rows: bigint }>(
  'audit.estimateRows',
  `
  select n.nspname || '.' || c.relname as table, greatest(c.reltuples, 0)::bigint as rows
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where n.nspname || '.' || c.relname = any ($1::text[])
`,
)

export type SealRow = { upto: string; movements: bigint; amount: string; hash: string }

export const findSeal = statement<SealRow>(
  'audit.findSeal',
  `select upto, movements, amount_sun::text as amount, hash from audit.seal where after = $1`,
)

export const insertSeal = statement(
  'audit.insertSeal',
  `
  insert into audit.seal (after, upto, movements, amount_sun, hash) values ($1, $2, $3, $4, $5)
  on conflict (after) do nothing
`,
)

/** The movements after $1 up to $2, at most $3 of them. Columns by name: a new one changes no old hash. */
export const sumMovements = statement<{
  upto: string | null
  movements: bigint
  amount: string
  hash: string
}>(
  'audit.sumMovements',
  `
  select (array_agg(m.id order by m.id desc))[1] as upto, count(*) as movements,
         coalesce(sum(m.amount_sun), 0)::text as amount,
         encode(sha256(convert_to(coalesce(string_agg(
           json_build_array(m.kind, m.reference_id, m.id, m.client_id, m.version, m.balance_after_sun, m.debit, m.credit,
                            m.amount_sun, m.description, m.created_at)::text, E'\\n' order by m.id), ''), 'UTF8')), 'hex') as hash
    from (select * from ledger.movement where id > $1 and id <= $2 order by id limit $3) m
`,
)

export const insertFinding = statement(
  'audit.insertFinding',
  `
  insert into audit.finding (id, invariant, sentence, example, found_at) values ($1, $2, $3, $4, $5)
`,
)

export type FindingRow = {
  id: string
  invariant: string
  promise: string
  example: unknown
  foundAt: Date
}

export const listFindings = statement<FindingRow>(
  'audit.listFindings',
  `
  select id, invariant, sentence as promise, example, found_at as "foundAt"
    from audit.finding order by found_at desc, id desc limit $1
`,
)

export const countFindings = statement<{ count: bigint }>(
  'audit.countFindings',
  `select count(*) as count from audit.finding where found_at > $1`,
)

/** The checkpoint of what we owe, and the seals below it. */
export const readSums = statement<{
  upto: string
  movements: bigint
  sealed: string | null
  counted: bigint
}>(
  'audit.readSums',
  `
  select s.upto, s.movements, e.upto as sealed, e.movements as counted
    from ledger.sums s
   cross join lateral (select (array_agg(e.upto order by e.upto desc))[1] as upto,
                              coalesce(sum(e.movements), 0)::bigint as movements
                         from audit.seal e where e.upto <= s.upto) e
`,
)

/** The movements after $1 up to $2, at most $3 of them. */
export const countMovements = statement<{ last: string | null; movements: bigint }>(
  'audit.countMovements',
  `
  select (array_agg(m.id order by m.id desc))[1] as last, count(*) as movements
    from (select id from ledger.movement where id > $1 and id <= $2 order by id limit $3) m
`,
)
