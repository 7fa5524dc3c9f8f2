import { describe, expect, test } from 'vitest';
import { formatJson, LineLogger, type LineLoggerOptions } from './line-logger.ts';
import { discardLogger } from './logger.ts';
import { VirtualClock } from './virtual-clock.ts';

function openLogger(options: Partial<LineLoggerOptions> = {}): { log: LineLogger; lines: string[] } {
  const lines: string[] = [];
  const clock = new VirtualClock({ startMs: Date.UTC(2026, 10, 15, 4, 31, 0, 123) });
  return { log: new LineLogger({ clock, write: (line) => lines.push(line), ...options }), lines };
}

describe('LineLogger', () => {
  test('writes one readable line per record', () => {
    const { log, lines } = openLogger({ level: 'debug' });
    log.debug('cache filled');
    log.info('pod bound', {
      pod: 'default/web-1',
      node: 'n3',
      attempts: 2,
      isLast: false,
      taints: ['a'],
      skipped: undefined,
    });
    log.warn('clock\njumped', { note: 'two\nlines "quoted"' });
    log.error('cannot bind pod', { error: new Error('cannot write', { cause: new Error('disk is full') }) });

    expect(lines).toEqual([
      'D1115 04:31:00.123 "cache filled"\n',
      'I1115 04:31:00.123 "pod bound" pod="default/web-1" node="n3" attempts=2 isLast=false taints=["a"]\n',
      'W1115 04:31:00.123 "clock\\njumped" note="two\\nlines \\"quoted\\""\n',
      'E1115 04:31:00.123 "cannot bind pod" error="cannot write: disk is full"\n',
    ]);
  });

  test('writes JSON for programs, and renames fields that would hide the logger’s own', () => {
    const { log, lines } = openLogger({ format: formatJson });
    log.info('pod bound', { pod: 'default/web-1', attempts: 2, level: 'high' });

    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        ts: '2026-11-15T04:31:00.123Z',
        level: 'info',
        msg: 'pod bound',
        pod: 'default/web-1',
        attempts: 2,
        level_: 'high',
      },
    ]);
  });

  test('JSON has the stack of an error', () => {
    const { log, lines } = openLogger({ format: formatJson });
    const error = new Error('cannot write');
    log.error('cannot bind pod', { error });

    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ error: { message: 'cannot write', stack: error.stack } });
  });

  test('drops records below its level, and isEnabled() is false for them', () => {
    const { log, lines } = openLogger({ level: 'warn' });
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');

    expect(lines.map((line) => line[0])).toEqual(['W', 'E']);
    expect(log.isEnabled('info')).toBe(false);
    expect(log.isEnabled('warn')).toBe(true);
  });

  test('with() adds fields, and later ones win', () => {
    const { log, lines } = openLogger();
    log.with({ controller: 'deployment', key: 'a/b' }).with({ worker: 1 }).info('synced', { key: 'c/d' });

    expect(lines[0]).toContain('"synced" controller="deployment" key="c/d" worker=1');
  });

  test('survives values that JSON cannot represent', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const { log, lines } = openLogger();
    log.info('odd', { circle, big: 2n ** 70n, nested: { big: 1n }, symbol: Symbol('s'), call: () => 1, nan: NaN });

    expect(lines[0]).toContain(
      'circle="[object Object]" big="1180591620717411303424" nested={"big":"1"} symbol="Symbol(s)" call="() => 1" nan=null',
    );
  });

  test('an error that is its own cause is described and not followed forever', () => {
    const error = new Error('loop');
    error.cause = error;
    const { log, lines } = openLogger();
    log.error('odd', { error });

    expect(lines[0]).toContain('error="loop"');
  });
});

test('discardLogger accepts everything and is enabled for no level', () => {
  discardLogger.with({ a: 1 }).error('dropped', { b: 2 });
  expect(discardLogger.isEnabled('error')).toBe(false);
});
