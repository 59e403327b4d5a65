import { expect, test } from 'vitest'
import { renderMarkdown } from './markdown.ts'

const html = (text: string) =>
  renderMarkdown(text, (target) => (target === 'known.md' ? '/known' : undefined)).html

test.each([
  ['# A `b`', '<h1 id="a-b">A <code>b</code></h1>'],
  ['one\ntwo', '<p>one\ntwo</p>'],
  ['**bold** text', '<p><strong>bold</strong> text</p>'],
  ['[in](known.md), [out](other.md)', '<p><a href="/known">in</a>, out</p>'],
  ['see [`b`](known.md)', '<p>see <a href="/known"><code>b</code></a></p>'],
  ['`[a](known.md)`', '<p><code>[a](known.md)</code></p>'],
  ['![in](known.md), ![out](other.svg)', '<p><img src="/known" alt="in">, out</p>'],
  ['- one\n  goes on\n- two', '<ul><li>one\ngoes on</li><li>two</li></ul>'],
  ['1. one\n2. two', '<ol><li>one</li><li>two</li></ol>'],
  ['words\n- item', '<p>words</p>\n<ul><li>item</li></ul>'],
  [
    '```sh\na | b\n\n# c\n```',
    '<div class="code"><pre tabindex="0"><code>a | b\n\n<span class="comment"># c</span></code></pre></div>',
  ],
  ['## A {#b.c}', '<h2 id="b.c">A</h2>'],
  [
    '```sh one\na\n```\n\n```text two\nb\n```\n\nend',
    '<div class="tabs"><div class="tab" data-name="one"><p class="name">one</p>' +
      '<div class="code"><pre tabindex="0"><code>a</code></pre></div></div>' +
      '<div class="tab" data-name="two"><p class="name">two</p>' +
      '<div class="code"><pre tabindex="0"><code>b</code></pre></div></div></div>\n<p>end</p>',
  ],
  [
    '| A | B |\n|---|---|\n| `x\\|y` | z |',
    '<div class="table" tabindex="0"><table><thead><tr><th>A</th><th>B</th></tr></thead><tbody>' +
      '<tr><td><code>x|y</code></td><td>z</td></tr></tbody></table></div>',
  ],
])('%j is rendered', (text, expected) => {
  expect(html(text)).toBe(expected)
})

test.each([
  '<script>x</script>',
  '`<b>`',
  '[a](javascript:alert)',
  '[a](" onclick="x)',
  '```\n<i>',
])('%j is text, not markup', (text) => {
  expect(html(text)).not.toMatch(/<(script|b|i|a)\b|onclick="/)
})

test('the title is the first heading', () => {
  expect(renderMarkdown('# One\n\n# Two', () => undefined).title).toBe('One')
})
