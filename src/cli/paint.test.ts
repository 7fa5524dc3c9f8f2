import { describe, expect, test } from 'vitest';
import { paintFor } from './paint.ts';

const RED = '\u001b[31mx\u001b[39m';

describe('colour', () => {
  test.each([
    ['is for terminals', { isTTY: true }, {}, RED],
    ['is not for files', {}, {}, 'x'],
    ['respects NO_COLOR', { isTTY: true }, { NO_COLOR: '1', FORCE_COLOR: '1' }, 'x'],
    ['takes an empty NO_COLOR for none', { isTTY: true }, { NO_COLOR: '' }, RED],
    ['is forced by FORCE_COLOR', {}, { FORCE_COLOR: '1' }, RED],
    ['is switched off by FORCE_COLOR=0', { isTTY: true }, { FORCE_COLOR: '0' }, 'x'],
    ['is not for dumb terminals', { isTTY: true }, { TERM: 'dumb' }, 'x'],
  ])('%s', (_name, stream, environment, painted) => {
    expect(paintFor(stream, environment)('red', 'x')).toBe(painted);
  });
});
