export { type Books, createBooks } from './books.ts'
export { dayAfter, daysOf, isDay, type Range } from './days.ts'
export type { Figures, Report, ReportRow } from './report.ts'
export { retention } from './retention.ts'
export {
  DECISIONS,
  type StatementDecision,
  type StatementEffect,
} from './statements/decide.ts'
export { createStatements, type Statements } from './statements/statements.ts'
