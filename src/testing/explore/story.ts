import { formatDuration } from '../../base/index.ts';
import { isWork, type Journal, type JournalEntry } from './journal.ts';

/** Lines of a story; the middle of longer ones is left out. */
const MAX_LINES = 120;

/** What an operator did and saw, line by line; faults are marked with ✗. */
export function storyOf({ entries }: Journal): string {
  const shown = entries.filter(isShown);
  const startMs = shown[0]?.atMs ?? 0;
  const lines = shown.map((entry) => `${timeWords(entry.atMs - startMs).padStart(9)}  ${words(entry)}`);
  if (lines.length <= MAX_LINES) return lines.join('\n');
  const half = MAX_LINES / 2;
  const left = `           … ${lines.length - MAX_LINES} more`;
  return [...lines.slice(0, half), left, ...lines.slice(-half)].join('\n');
}

function isShown(entry: JournalEntry): boolean {
  return entry.type !== 'request' || (isWork(entry) && entry.verb !== 'watch');
}

function timeWords(ms: number): string {
  return ms === 0 ? '0s' : formatDuration(Math.round(ms));
}

function words(entry: JournalEntry): string {
  switch (entry.type) {
    case 'request': {
      const { request, code, fault } = entry;
      const end = code === undefined ? 'not sent' : code === 0 ? 'no answer' : String(code);
      return fault === undefined ? `  ${request} → ${end}` : `✗ ${request} → ${end} (${fault})`;
    }
    case 'event':
      return `  sees ${entry.change} ${entry.resource} ${entry.key}`;
    case 'call':
      return entry.fault === undefined ? `  ${entry.request}` : `✗ ${entry.request} (${entry.fault})`;
    case 'note':
      return entry.isFault ? `✗ ${entry.text}` : `# ${entry.text}`;
  }
}
