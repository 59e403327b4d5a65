export { type Books, createBooks } from './books.ts'
export { dayAfter, daysOf, isDay, type Range } from './days.ts'
export type { Figures, Report, ReportRow } from './report.ts'
