/** Escapes foreign text for a page or a quoted attribute. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

const icon = (shape: string) =>
  `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${shape}</svg>`

export const icons = {
  bolt: icon('<path class="solid" d="M13 2 4.5 13.5H11L10 22l8.5-11.5H12z"/>'),
  copy: icon(
    '<rect x="8" y="8" width="12" height="12" rx="2"/><path d="M16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2"/>',
  ),
  minus: icon('<path d="M5 12h14"/>'),
  plus: icon('<path d="M5 12h14M12 5v14"/>'),
  wallet: icon('<rect x="3" y="6" width="18" height="13" rx="2"/><path d="M3 10h18M16 15h2"/>'),
  info: icon('<circle cx="12" cy="12" r="9"/><path d="M12 11v5M12 8v.01"/>'),
  paused: icon('<circle cx="12" cy="12" r="9"/><path d="M10 9v6M14 9v6"/>'),
  missing: icon(
    '<circle cx="12" cy="12" r="9"/><path d="M9 9.5a3 3 0 1 1 4 2.8c-.7.3-1 .8-1 1.7M12 17v.01"/>',
  ),
}
