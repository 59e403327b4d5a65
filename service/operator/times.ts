const WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/

/** A time with its zone; an invalid date for anything else, which whoever takes it refuses. */
export const timeOf = (text: string): Date => new Date(WITH_ZONE.test(text) ? text : Number.NaN)
