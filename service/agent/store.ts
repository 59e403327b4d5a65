export const CONFIG = `
  id, account_id as account, public_id as "publicId", mode, address, proven, title,
  energy_per_unit as "energyPerUnit", base_payment_sun as "basePayment", max_units as "maxUnits", status,
  pause_reason as "pauseReason", created_at as "createdAt", updated_at as "updatedAt"`
