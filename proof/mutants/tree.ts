import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Copies tracked and untracked files, without ignored ones, so that mutants never change the
 * working tree.
 */
export function copyTree(from: string, to: string): void {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: from })
  const paths = listed.toString().split('\0')
  for (const path of paths.filter((one) => one && existsSync(join(from, one)))) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    copyFileSync(join(from, path), join(to, path))
  }
  // Our packages may have their own versions of dependencies.
  for (const path of globSync(['node_modules', '*/node_modules'], { cwd: from })) {
    linkPackages(join(from, path), join(to, path))
  }
}

/** Links the packages of others. Our own are links already, which lead into the copy. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    const path = join(from, name)
    if (name.startsWith('@')) linkPackages(path, join(to, name))
    else if (lstatSync(path).isSymbolicLink()) symlinkSync(readlinkSync(path), join(to, name))
    else if (name !== '.cache' && name !== '.vite') symlinkSync(path, join(to, name))
  }
}
