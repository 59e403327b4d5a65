/** Changes with every price: service/app/dueWatch.ts asks for it. */
export const PRICES = '(select number from pricing.revision)'
