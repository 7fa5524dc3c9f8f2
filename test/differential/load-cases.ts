import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from './case.ts';
import { parseCase } from './parse-case.ts';

/** Where cases are, one folder a topic. */
export const CASES = join(import.meta.dirname, 'cases');

/** Every case, by topic and then by name. */
export function loadCases(folder: string = CASES): Case[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .flatMap((topic) => loadTopic(folder, topic));
}

function loadTopic(folder: string, topic: string): Case[] {
  return readdirSync(join(folder, topic))
    .filter((file) => file.endsWith('.http'))
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, topic, file), 'utf8');
      return parseCase(text, { topic, name: file.slice(0, -'.http'.length) });
    });
}
