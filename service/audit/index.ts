export { type Audit, createAudit, type Finding } from './audit.ts'
export { type Invariant, invariants } from './invariants.ts'
export type { Proofs } from './proofs.ts'
export { proveAll } from './prove.ts'
