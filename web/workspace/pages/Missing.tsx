import { Link } from '@tanstack/react-router'

export function Missing() {
  return (
    <main className="alone">
      <div className="page-head">
        <h1>There is no such page</h1>
      </div>
      <p>The address may be old, or mistyped.</p>
      <Link to="/overview">To the overview</Link>
    </main>
  )
}
