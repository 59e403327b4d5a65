const SHOWN_MS = 1_500

/** Makes every copy button copy the text it names. */
export function copyOnClick(copied: string) {
  document.addEventListener('click', async (event) => {
    const button = (event.target as Element).closest<HTMLElement>('[data-copy]')
    if (!button) return
    const text = button.dataset.copy!
    if (await write(text)) confirm(button, copied)
  })
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Not allowed here: the address can be selected by hand.
    return false
  }
}

function confirm(button: HTMLElement, copied: string) {
  const label = button.querySelector('span:last-child')!
  if (button.classList.contains('copied')) return
  const before = label.textContent
  label.textContent = copied
  button.classList.add('copied')
  document.getElementById('announced')!.textContent = copied
  setTimeout(() => {
    label.textContent = before
    button.classList.remove('copied')
  }, SHOWN_MS)
}
