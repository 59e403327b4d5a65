// @ts-nocheck: the types of React are checked where it is used; this runs in its place.

export * from 'preact/compat'
export { default } from 'preact/compat'

/** Preact has none. The component library asks for it where a closed part stays in the page, which ours never does. */
export const Activity = ({ mode, children }) => (mode === 'hidden' ? null : children)
