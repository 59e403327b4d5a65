/** " Did you mean X?" for a word that is close to a known one, else nothing. */
export function didYouMean(given: string, known: readonly string[]): string {
  const word = nearest(given, known)
  return word === undefined ? '' : ` Did you mean ${word}?`
}

/** The known word that takes the fewest typing mistakes: one in short words, two in longer ones. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const most = given.replace(/^-+/, '').length <= 4 ? 1 : 2
  const ranked = known
    .map((word) => ({ word, mistakes: mistakesBetween(given, word) }))
    .filter(({ mistakes }) => mistakes <= most)
    .sort((a, b) => a.mistakes - b.mistakes)
  return ranked[0]?.word ?? known.find((word) => given.length >= 3 && word.startsWith(given))
}

/** Letters left out, added, changed, or swapped with their neighbour. */
function mistakesBetween(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const changed = rows[row - 1]![column - 1]! + (isSame ? 0 : 1)
      const swapped = isSwapped ? rows[row - 2]![column - 2]! + 1 : changed
      const longer = Math.min(rows[row - 1]![column]!, current[column - 1]!) + 1
      current.push(Math.min(changed, swapped, longer))
    }
    rows.push(current)
  }
  return rows[a.length]![b.length]!
}
