/** What an operator may do, from least to most: each role may do what those before it may. */
export const ROLES = ['viewer', 'support', 'finance', 'administrator'] as const

export type Role = (typeof ROLES)[number]

export const isRole = (text: string): text is Role => (ROLES as readonly string[]).includes(text)

/** Whether somebody with the role `held` may do what needs the role `needed`. */
export const mayAct = (held: Role, needed: Role) => ROLES.indexOf(held) >= ROLES.indexOf(needed)
