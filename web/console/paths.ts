/** Not a literal: the types of paths that are checked are those of the workspace. */
export const SIGN_IN: string = '/sign-in'
