// The documents of the repository, and the TypeScript that they show.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A block of TypeScript in a document. */
export interface Sample {
  /** The line where it starts, counted from 1. */
  readonly line: number;
  readonly code: string;
  /** YAML of what is to be there before it is run, from a comment before it: `<!-- given: … -->`. */
  readonly given: string;
  /** Not so when a comment before it says why: `<!-- not run: … -->`. */
  readonly isRun: boolean;
}

/** Every Markdown file at the top of the repository and under `docs` and `examples`. */
export async function findDocuments(root: string): Promise<string[]> {
  const top = (await readdir(root)).filter((name) => name.endsWith('.md')).map((name) => join(root, name));
  const below = await Promise.all(
    ['docs', 'examples']
      .filter((folder) => existsSync(join(root, folder)))
      .map(async (folder) => {
        const entries = await readdir(join(root, folder), { recursive: true });
        return entries
          .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
          .map((name) => join(root, folder, name));
      }),
  );
  return [...top, ...below.flat()].sort();
}

export function samplesIn(text: string): readonly Sample[] {
  return [...text.matchAll(/(?:<!--((?:(?!-->).)*)-->\n+)?```(?:ts|typescript)\n(.*?)```/gs)].map((match) => {
    const [, word = '', rest = ''] = /^\s*(given|not run):(.*)$/s.exec(match[1] ?? '') ?? [];
    return {
      line: lineAt(text, match.index + match[0].indexOf('```')),
      code: match[2] ?? '',
      given: word === 'given' ? rest : '',
      isRun: word !== 'not run',
    };
  });
}

export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
