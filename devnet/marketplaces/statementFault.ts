/**
 * What a stand-in's statement does to its newest order. The words are those of the control endpoint's `statement`;
 * `unreadable` and `down` are of the list of orders alone.
 */
export const statementFaults = [
  'ok',
  'charged_twice',
  'another_amount',
  'unknown_order',
  'missing',
  'refunded',
  'unreadable',
  'down',
] as const
export type StatementFault = (typeof statementFaults)[number]
