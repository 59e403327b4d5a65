/** Ends the task of the script: a phone that is loading the page can be scrolled and tapped in between. */
export const pause = () => new Promise<void>((resolve) => setTimeout(resolve))
