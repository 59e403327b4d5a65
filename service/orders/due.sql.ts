// Conditions under which the loops of this room have work: service/app/dueWatch.ts asks for all at once.

export const ORDERS_TO_START = "exists (select from orders.purchase_order where status = 'PENDING')"

export const CHECKOUTS_TO_EXPIRE = `exists (
  select from orders.checkout where open and expires_at < $1 and waits_for = '{}')`

export const COMMISSIONS_TO_PAY = 'exists (select from orders.commission where paid_at is null)'

export const REFERRAL_TERMS = '(select basis_points from orders.referral_terms)'
